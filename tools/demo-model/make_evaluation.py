"""Draws the evaluation: make_evaluation.py OUT. Requests in wire form, each with the reply that counts as right.

Its names, values and number pairs are those of the "eval" split (words.py, sums.py), which training never draws from."""

import json
import random
import sys

from chat import Sample, Turn
from field_samples import fields_turns
from knowledge import FACTS, varied
from sums import sum_turns
from text_samples import edit_turns, repeat_turns
from tool_samples import offered, request_turns, result_turns, unfit_turns
from words import Words

SEED = 20_260_101
SPLIT = "eval"
LONGEST_REPEAT = 150


def tool_case(rng: random.Random, form: str) -> Sample:
    words = Words(rng, SPLIT)
    while True:
        tools = offered(words, known_share=0.0)
        turns = unfit_turns(tools, words, 0.0) if form == "none" else request_turns(tools, words)
        if form == "none" and turns[-1].content != "I have no tool for that.":
            continue
        num_calls = len(turns[-1].calls)
        if num_calls == (2 if form == "two" else 0 if form == "none" else 1):
            break
    if form == "answer":
        turns += result_turns(1, words)
    return Sample(turns, [tool.wire for tool in tools])


def text_case(rng: random.Random, form: str) -> Sample:
    words = Words(rng, SPLIT)
    if form == "edit":
        return Sample(list(edit_turns(words, rng.randint(5, 60), rng.random() < 0.5)))
    return Sample(list(repeat_turns(words, rng.randint(3, LONGEST_REPEAT), form == "known words")))


def knowledge_case(rng: random.Random) -> Sample:
    answer, questions = rng.choice(FACTS)
    return Sample([Turn("user", varied(rng.choice(questions), rng)), Turn("assistant", answer)])


def cases(rng: random.Random):
    """(group, form, sample)"""
    for form, count in (("one", 120), ("two", 30), ("none", 30), ("answer", 40)):
        for _ in range(count):
            yield "tools", form, tool_case(rng, form)
    for _ in range(150):
        yield "sums", "with thinking", Sample(list(sum_turns(rng, SPLIT)))
    for _ in range(150):
        yield "fields", "JSON", Sample(list(fields_turns(Words(rng, SPLIT))))
    for form, count in (("known words", 60), ("with unseen words", 60), ("edit", 60)):
        for _ in range(count):
            yield "texts", form, text_case(rng, form)
    for _ in range(100):
        yield "knowledge", "trained questions", knowledge_case(rng)


def message(turn: Turn, index: int) -> dict:
    out = {"role": turn.role, "content": turn.content}
    if turn.calls:
        out["tool_calls"] = [
            {"id": f"call_{index}_{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}}
            for at, (name, arguments) in enumerate(turn.calls)
        ]
    if turn.role == "tool":
        out["tool_call_id"] = f"call_{index - 1}_0"
    return out


def wire(group: str, form: str, sample: Sample) -> dict:
    *history, reply = sample.turns
    out = {"group": group, "form": form, "messages": [message(turn, index) for index, turn in enumerate(history)]}
    if sample.tools:
        out["tools"] = sample.tools
    if not sample.thinks:
        out["enable_thinking"] = False
    if reply.calls:
        out["calls"] = [{"name": name, "arguments": arguments} for name, arguments in reply.calls]
    else:
        out["content"] = reply.content
    return out


def main(path: str) -> None:
    rng = random.Random(SEED)
    lines = [json.dumps(wire(*case), ensure_ascii=False) for case in cases(rng)]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    print(f"{len(lines)} cases")


if __name__ == "__main__":
    main(sys.argv[1])
