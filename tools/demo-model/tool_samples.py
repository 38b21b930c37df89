"""Conversations with tools: one call, two calls, none that fits, an answer from a result."""

import random

from chat import Sample, Turn
from knowledge import FACTS, varied, with_system
from known_tools import known_tool
from made_tools import asked, made_result, made_tool, wish
from words import Words

NO_TOOL = "I have no tool for that."


def offered(words: Words, known_share: float) -> list:
    """One to four tools of different names; each has `name`, `wire` and a way to ask for it."""
    rng, tools, names = words.rng, [], set()
    for _ in range(rng.choice((1, 1, 2, 2, 3, 3, 4))):
        tool = known_tool(words) if rng.random() < known_share else made_tool(words)
        if tool.name not in names:
            names.add(tool.name)
            tools.append(tool)
    return tools


def wish_of(tool, words: Words) -> tuple:
    """(request, arguments)"""
    return tool.wish() if hasattr(tool, "wish") else wish(tool, words)


def unfit_turns(tools: list, words: Words, known_share: float) -> list:
    rng = words.rng
    if rng.random() < 0.35:
        answer, questions = rng.choice(FACTS)
        return [Turn("user", varied(rng.choice(questions), rng)), Turn("assistant", answer)]
    names = {tool.name for tool in tools}
    while True:
        other = known_tool(words) if rng.random() < known_share else made_tool(words)
        if other.name not in names and not any(shares_words(other, tool) for tool in tools):
            text, _ = wish_of(other, words)
            return [Turn("user", asked(text, words)), Turn("assistant", NO_TOOL)]


def shares_words(one, other) -> bool:
    """Told apart by no word: which of the two is meant would be a guess."""
    return bool(words_of(one) & words_of(other))


def words_of(tool) -> set:
    function = tool.wire["function"]
    text = function["name"].replace("_", " ") + " " + function.get("description", "")
    return {word.strip(".").lower() for word in text.split()} - {"the", "a", "of", "in", "an", "by", "its", "use", "it", "to", "and", "get"}


def request_turns(tools: list, words: Words) -> list:
    """A request and its call or calls."""
    rng = words.rng
    tool = rng.choice(tools)
    text, arguments = wish_of(tool, words)
    calls = [(tool.name, arguments)]
    if rng.random() < (0.5 if words.is_varied else 0.25):
        second = rng.choice(tools)
        more, more_arguments = wish_of(second, words)
        if (second.name, more_arguments) != calls[0]:
            text += rng.choice((" and ", ", then ", ". Then ", ". Also ", " and also ")) + more
            calls.append((second.name, more_arguments))
    return [Turn("user", asked(text, words)), Turn("assistant", calls=calls)]


def result_turns(num_calls: int, words: Words) -> list:
    results = [made_result(words) for _ in range(num_calls)]
    answer = results[0][1] if num_calls == 1 else "First: " + results[0][1] + " Second: " + results[1][1]
    return [*(Turn("tool", result) for result, _ in results), Turn("assistant", answer)]


def tool_sample(rng: random.Random, split: str = "train") -> Sample:
    words = Words(rng, split)
    known_share = 0.15 if words.is_varied else 0.25
    tools = offered(words, known_share)
    turns = []
    for _ in range(rng.choice((1, 2, 3, 3))):
        if rng.random() < 0.2:
            turns += unfit_turns(tools, words, known_share)
            continue
        turns += request_turns(tools, words)
        if rng.random() < 0.3:
            turns += result_turns(len(turns[-1].calls), words)
    return Sample(with_system(turns, rng, 0.15), [tool.wire for tool in tools], rng.random() < 0.8)
