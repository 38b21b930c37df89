"""Filling a JSON shape from a sentence."""

import json
import random

from chat import Sample, Turn
from knowledge import with_system
from made_tools import text_value
from words import Words

ASKS = [
    "Fill {shape} from this text: {text}", "Fill in {shape} from: {text}", "{text}\nFill {shape}", "{text}\nWrite it as JSON: {shape}",
    "Write this as JSON {shape}: {text}", "Extract {shape} from: {text}", "Return JSON like {shape} for: {text}", "Give me {shape} for this: {text}",
    "Read the text and fill {shape}.\n{text}",
]


def fields_turns(words: Words) -> tuple:
    """A question and its reply: the shape's keys in the shape's order."""
    rng = words.rng
    fields, parts = (person_fields if rng.random() < 0.3 else made_fields)(words)
    keys = list(fields)
    rng.shuffle(keys)
    wanted = keys if rng.random() < 0.8 else keys[: max(1, len(keys) - 1)]
    style = rng.random()
    shape = {key: blank_of(fields[key], style) for key in wanted}
    question = rng.choice(ASKS).format(shape=json.dumps(shape), text=parts)
    return Turn("user", question), Turn("assistant", json.dumps({key: fields[key] for key in wanted}, ensure_ascii=False))


def blank_of(value, style: float):
    kinds = {str: "string", int: "integer", float: "number", bool: "boolean"}
    if style < 0.5:
        return kinds[type(value)]
    return {str: "", int: 0, float: 0, bool: False}[type(value)]


def made_fields(words: Words) -> tuple:
    rng = words.rng
    fields = {}
    for _ in range(rng.randint(1, 4)):
        draw = rng.random()
        name = words.identifier() if rng.random() < 0.7 else rng.choice(("name", "age", "city", "email", "price", "count", "title", "date", "color"))
        if draw < 0.55:
            fields[name] = text_value(words)
        elif draw < 0.75:
            fields[name] = words.number()
        elif draw < 0.85:
            fields[name] = words.decimal()
        else:
            fields[name] = rng.random() < 0.5
    keys = list(fields)
    rng.shuffle(keys)
    style = rng.choice(("is", "colon", "plain", "is"))
    said = [field_text(key, fields[key], style, rng) for key in keys]
    if style == "is":
        text = ", ".join(said[:-1]) + (" and " if len(said) > 1 else "") + said[-1] + "."
    else:
        text = rng.choice((", ", "; ")).join(said)
    return fields, text[0].upper() + text[1:] if style == "is" else text


def field_text(key: str, value, style: str, rng: random.Random) -> str:
    name = key.replace("_", " ")
    shown = ("true" if value else "false") if isinstance(value, bool) else str(value)
    if style == "colon":
        return f"{name}: {shown}"
    if style == "plain":
        return f"{name} {shown}"
    return rng.choice((f"the {name} is {shown}", f"its {name} is {shown}", f"{name} is {shown}"))


def person_fields(words: Words) -> tuple:
    rng = words.rng
    name, age, city = words.person(), rng.randint(18, 90), words.city()
    job = rng.choice(words.nouns)
    form = rng.randrange(5)
    if form == 0:
        return {"name": name, "age": age}, rng.choice((f"{name} is {age} years old.", f"{name} is {age}.", f"{name}, {age} years old."))
    if form == 1:
        return {"name": name, "age": age, "city": city}, rng.choice((f"{name} is {age} and lives in {city}.", f"{name}, {age}, lives in {city}.", f"{name} from {city} is {age} years old."))
    if form == 2:
        return {"name": name, "city": city}, rng.choice((f"{name} lives in {city}.", f"{name} comes from {city}.", f"{name} from {city}"))
    if form == 3:
        price = words.decimal()
        return {"product": job, "price": price}, rng.choice((f"The {job} costs {price}.", f"The {job} is {price} euros.", f"A {job} for {price}."))
    count = rng.randint(2, 40)
    return {"item": job, "count": count, "city": city}, rng.choice((f"We sent {count} {job} to {city}.", f"{count} {job} for {city}.", f"Please send {count} {job} to {city}."))


def field_sample(rng: random.Random, split: str = "train") -> Sample:
    words = Words(rng, split)
    turns = []
    for _ in range(rng.choice((1, 1, 2)) if split != "eval" else 1):
        turns += fields_turns(words)
    return Sample(with_system(turns, rng, 0.15), thinks=rng.random() < 0.7)
