"""A conversation as the tokens a model reads, with a loss weight a token. Writes what chat-template.jinja writes."""

import json
from dataclasses import dataclass, field


@dataclass
class Turn:
    """One message. An assistant's may carry reasoning and calls: a list of (name, arguments)."""

    role: str
    content: str = ""
    reasoning: str | None = None
    calls: list = field(default_factory=list)


@dataclass
class Sample:
    """`thinks` is the request's enable_thinking: False renders an empty think block before the last reply."""

    turns: list
    tools: list = field(default_factory=list)
    thinks: bool = True




def signature(tool: dict) -> str:
    """`name(city: string, days?: integer) Description` of a tool in its wire form."""
    function = tool["function"]
    schema = function.get("parameters") or {}
    required = schema.get("required") or []
    args = []
    for name, value in (schema.get("properties") or {}).items():
        if value.get("enum"):
            kind = "|".join(json.dumps(choice) for choice in value["enum"])
        elif value.get("type") == "array" and isinstance(value.get("items", {}).get("type"), str):
            kind = value["items"]["type"] + "[]"
        else:
            kind = value["type"] if isinstance(value.get("type"), str) else "any"
        args.append(f"{name}{': ' if name in required else '?: '}{kind}")
    description = function.get("description")
    return f"{function['name']}({', '.join(args)})" + (f" {description}" if description else "")


def call_text(name: str, arguments: dict) -> str:
    return (
        '<tool_call>\n{"name": "' + name + '", "arguments": ' + json.dumps(arguments, ensure_ascii=False)
        + "}\n</tool_call>"
    )


def reply_text(turn: Turn, keeps_reasoning: bool) -> str:
    """What a model writes for this turn, without the end marker."""
    text = f"<think>\n{turn.reasoning}\n</think>\n\n" if turn.reasoning and keeps_reasoning else ""
    text += turn.content
    for index, (name, arguments) in enumerate(turn.calls):
        text += ("\n" if turn.content or index > 0 else "") + call_text(name, arguments)
    return text


def segments(sample: Sample) -> list:
    """The rendered text in order, as (text, kind): "prompt", "reply", or "past".

    A past reply stands without its think block: where it had one, its first token, which tells whether to think, is not learnt."""
    turns = list(sample.turns)
    out = []
    system = turns.pop(0).content if turns and turns[0].role == "system" else None
    if system is not None or sample.tools:
        parts = [] if system is None else [system]
        if sample.tools:
            parts.append("<tools>\n" + "".join(signature(tool) + "\n" for tool in sample.tools) + "</tools>")
        out.append(("<|im_start|>system\n" + "\n".join(parts) + "<|im_end|>\n", "prompt"))
    query = max((i for i, turn in enumerate(turns) if turn.role == "user"), default=-1)
    for index, turn in enumerate(turns):
        if turn.role == "assistant":
            opening = "<|im_start|>assistant\n"
            is_last = index == len(turns) - 1
            if is_last and not sample.thinks:
                opening += "<think>\n\n</think>\n\n"
            out.append((opening, "prompt"))
            text = reply_text(turn, sample.thinks and index > query)
            begins_as_asked = not turn.reasoning or (index > query and (is_last or sample.thinks))
            out.append((text + "<|im_end|>", "reply" if begins_as_asked else "past"))
            if not is_last:
                out.append(("\n", "prompt"))
        elif turn.role == "tool":
            opens = index == 0 or turns[index - 1].role != "tool"
            closes = index == len(turns) - 1 or turns[index + 1].role != "tool"
            text = ("<|im_start|>user\n" if opens else "\n") + f"<tool_response>\n{turn.content}\n</tool_response>"
            out.append((text + ("<|im_end|>\n" if closes else ""), "prompt"))
        else:
            out.append((f"<|im_start|>{turn.role}\n{turn.content}<|im_end|>\n", "prompt"))
    return out


def encode_sample(sample: Sample, tokenizer) -> tuple:
    """Token ids and, for each, the weight of its loss as a target.

    Segments begin or end at control tokens or line ends, so their tokens are those of the whole text."""
    ids, weights = [], []
    for text, kind in segments(sample):
        tokens = tokenizer.encode(text)
        own = [0.0 if kind == "prompt" else 1.0] * len(tokens)
        if kind == "past":
            own[0] = 0.0
        ids += tokens
        weights += own
    return ids, weights
