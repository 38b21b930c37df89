"""Tools with made-up names, requests that want them called, and results to answer from."""

import json
import random
from dataclasses import dataclass

from words import ADJECTIVES, Words

PREPOSITIONS = ["for", "in", "to", "at", "from", "about", "of", "on", "called", "named", "with"]


@dataclass
class Argument:
    name: str
    schema: dict
    required: bool
    #: Draws (value, the text that stands for it).
    draw: object

    @property
    def kind(self) -> str:
        return "enum" if "enum" in self.schema else self.schema["type"]

    @property
    def said(self) -> str:
        """The name as a person says it."""
        return self.name.replace("_", " ")


@dataclass
class MadeTool:
    name: str
    wire: dict
    arguments: list
    #: What a request calls it: a verb, and its object.
    verb: str
    noun: str


def text_value(words: Words) -> str:
    rng, draw = words.rng, words.rng.random()
    if draw < 0.45:
        return words.name()
    if draw < 0.6:
        return words.noun()
    if draw < 0.8:
        return words.phrase(2, 4)
    if draw < 0.85:
        return f"{words.made_up()}@{words.noun()}.com"
    if draw < 0.9:
        return f"20{rng.randint(20, 39)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    if draw < 0.94:
        return f"{rng.randint(0, 23)}:{rng.choice(('00', '15', '30', '45'))}"
    if draw < 0.97:
        return f"{words.noun()}/{words.noun()}.{rng.choice(('txt', 'json', 'pdf', 'md'))}"
    return f"{words.name()} {words.name()}"


def made_argument(words: Words, taken: set) -> Argument:
    rng = words.rng
    name = words.identifier()
    while name in taken:
        name = words.identifier()
    taken.add(name)
    required = rng.random() < 0.75
    draw = rng.random()
    if draw < 0.5:
        return Argument(name, {"type": "string"}, required, lambda: same(text_value(words)))
    if draw < 0.68:
        return Argument(name, {"type": "integer"}, required, lambda: same(words.number()))
    if draw < 0.76:
        return Argument(name, {"type": "number"}, required, lambda: same(words.decimal()))
    if draw < 0.85:
        return Argument(name, {"type": "boolean"}, required, lambda: (rng.random() < 0.5,) * 2)
    if draw < 0.95:
        choices = list(dict.fromkeys(rng.choice(ADJECTIVES) if rng.random() < 0.4 else words.noun() for _ in range(rng.randint(2, 4))))
        return Argument(name, {"type": "string", "enum": choices}, required, lambda: same(rng.choice(choices)))
    schema = {"type": "array", "items": {"type": "string"}}
    return Argument(name, schema, required, lambda: listed([words.noun() for _ in range(rng.randint(2, 3))]))


def same(value) -> tuple:
    return value, str(value)


def listed(values: list) -> tuple:
    return values, ", ".join(values[:-1]) + " and " + values[-1]


def made_tool(words: Words) -> MadeTool:
    rng = words.rng
    verb, noun = words.verb(), words.noun()
    if rng.random() < 0.2:
        noun = f"{words.noun()} {noun}"
    name = f"{verb}_{noun.replace(' ', '_')}"
    if rng.random() < 0.15:
        name = verb + "".join(part.capitalize() for part in noun.split(" "))
    taken = set()
    count = rng.choice((0, 1, 1, 1, 2, 2, 3))
    arguments = [made_argument(words, taken) for _ in range(count)]
    description = rng.choice((f"{verb} the {noun}", f"{verb} a {noun}", f"use it to {verb} a {noun}", f"{verb} {noun}"))
    description = description[0].upper() + description[1:] + rng.choice((".", ""))
    function = {"name": name}
    if rng.random() < 0.85:
        function["description"] = description
    function["parameters"] = {
        "type": "object",
        "properties": {argument.name: argument.schema for argument in arguments},
        "required": [argument.name for argument in arguments if argument.required],
    }
    return MadeTool(name, {"type": "function", "function": function}, arguments, verb, noun)


def wish(tool: MadeTool, words: Words) -> tuple:
    """What a person says to have the tool called, and the arguments of the call."""
    rng = words.rng
    given = [argument for argument in tool.arguments if argument.required or rng.random() < 0.5]
    said = list(given)
    rng.shuffle(said)
    values = {argument.name: argument.draw() for argument in said}
    parts = [
        argument_text(argument, *values[argument.name], is_only_text(argument, given), words) for argument in said
    ]
    if rng.random() < 0.12:
        start = rng.choice((f"call {tool.name}", f"use {tool.name}", f"run {tool.name}"))
    else:
        start = f"{tool.verb} {rng.choice(('the', 'a', 'my', 'the', ''))} {tool.noun}".replace("  ", " ")
    text = start + joined_parts(parts, rng)
    return text, {argument.name: values[argument.name][0] for argument in given}


def is_only_text(argument: Argument, given: list) -> bool:
    """Its type alone says which argument a value is meant for."""
    return sum(other.kind == argument.kind for other in given) == 1


def argument_text(argument: Argument, value, said: str, is_only: bool, words: Words) -> str:
    rng, name = words.rng, argument.said if words.rng.random() < 0.8 else argument.name
    if argument.kind == "boolean":
        if rng.random() < 0.4:
            return f"{name} {'true' if value else 'false'}"
        return rng.choice((f"with {name}", f"{name} on") if value else (f"without {name}", f"{name} off"))
    if is_only and argument.kind in ("string", "integer", "number") and rng.random() < 0.3:
        if argument.kind == "string" and rng.random() < 0.25:
            said = f'"{said}"'
        return f"{rng.choice(PREPOSITIONS)} {said}"
    if argument.kind == "string" and rng.random() < 0.2:
        said = f'"{said}"'
    return rng.choice((f"{name} {said}", f"{name} {said}", f"{name}: {said}", f"the {name} is {said}", f"with {name} {said}"))


def joined_parts(parts: list, rng: random.Random) -> str:
    if not parts:
        return ""
    joins = parts[0].split(" ")[0] in {*PREPOSITIONS, "without", "the"}
    opening = rng.choice((" ", " ", ", ") if joins else (", ", ": ", " with "))
    if len(parts) == 1:
        return opening + parts[0]
    return opening + ", ".join(parts[:-1]) + rng.choice((" and ", ", ", " and ")) + parts[-1]


ASKS = ["{}.", "{}", "Please {}.", "Can you {}?", "Could you {}?", "I want to {}.", "I need to {}.", "{}, please.", "Please {}", "Now {}.", "I would like you to {}."]


def asked(text: str, words: Words) -> str:
    """As a request. "varied" has more that begin with the verb: its capital hides the tool's name."""
    begins = words.is_varied and words.rng.random() < 0.25
    out = words.rng.choice(ASKS[:2] if begins else ASKS).format(text)
    return out[0].upper() + out[1:]


def made_result(words: Words) -> tuple:
    """A tool's result and the answer from it."""
    rng, draw = words.rng, words.rng.random()
    if draw < 0.55:
        result = {words.identifier(): result_value(words) for _ in range(rng.randint(1, 3))}
        shown = ", ".join(f"{key.replace('_', ' ')} {shown_value(value)}" for key, value in result.items())
        return json.dumps(result), f"The result: {shown}."
    if draw < 0.7:
        text = words.unseen_text(rng.randint(2, 8))
        return text, text
    if draw < 0.8:
        value = rng.choice((words.number(), words.decimal(), words.name()))
        return str(value), f"The result is {value}."
    if draw < 0.9:
        return rng.choice(('{"ok": true}', "ok", "done", '{"status": "ok"}')), "Done."
    message = words.phrase(2, 4)
    return json.dumps({"error": message}), f"The tool failed: {message}."


def result_value(words: Words):
    draw = words.rng.random()
    if draw < 0.35:
        return words.number()
    if draw < 0.5:
        return words.decimal()
    return words.name() if draw < 0.75 else words.phrase(1, 2)


def shown_value(value) -> str:
    return str(value)
