"""Repeating a text, and replacing a word of it by another."""

import random

from chat import Sample, Turn
from knowledge import with_system
from words import FILLERS, Words

REPEATS = ["Repeat this text: {}", "Repeat: {}", "Repeat this text exactly:\n{}", "Say this again: {}", "Copy this text:\n{}", "Write this again: {}", "{}\nRepeat the text above.", "Repeat after me: {}", "Echo: {}", "Please repeat: {}"]
EDITS = [
    "Replace {old} by {new} in this text: {text}", "Replace {old} with {new}: {text}", "In this text, replace {old} by {new}:\n{text}",
    "Change {old} to {new} in this text:\n{text}", "{text}\nReplace {old} by {new} in the text above.", "Write this text again with {new} in place of {old}: {text}",
]


def length(rng: random.Random, longest: int) -> int:
    """Two in five are short; some reach `longest` words."""
    return rng.randint(1, 25) if rng.random() < 0.4 else rng.randint(20, longest)


def repeat_turns(words: Words, num_words: int, is_plain: bool) -> tuple:
    text = words.plain_text(num_words) if is_plain else words.unseen_text(num_words)
    return Turn("user", words.rng.choice(REPEATS).format(text)), Turn("assistant", text)


def edit_turns(words: Words, num_words: int, is_plain: bool) -> tuple:
    """The old word stands in the text one to three times; the new one may stand there already."""
    rng = words.rng
    text = (words.plain_text(num_words) if is_plain else words.unseen_text(num_words)).split(" ")
    places = [i for i, word in enumerate(text) if word.isalpha() and word.lower() == word and word not in FILLERS]
    if not places:
        return repeat_turns(words, num_words, is_plain)
    old = text[rng.choice(places)]
    new = words.noun() if rng.random() < 0.6 else words.name()
    if rng.random() < 0.2:
        text[rng.choice(places)] = old
    edited = [new if word == old else new + word[-1] if word[:-1] == old and word[-1] in ".,!?" else word for word in text]
    quote = '"' if rng.random() < 0.3 else ""
    question = rng.choice(EDITS).format(old=quote + old + quote, new=quote + new + quote, text=" ".join(text))
    return Turn("user", question), Turn("assistant", " ".join(edited))


def text_sample(rng: random.Random, split: str = "train", longest: int = 150) -> Sample:
    words = Words(rng, split)
    is_plain = rng.random() < 0.6
    if rng.random() < 0.55:
        make, num_words = repeat_turns, length(rng, longest)
    else:
        # Short texts mostly: there a good part of the reply is what changed.
        make, num_words = edit_turns, rng.randint(3, 14) if rng.random() < 0.7 else rng.randint(10, min(longest, 70))
    return Sample(with_system(list(make(words, num_words, is_plain)), rng, 0.1), thinks=rng.random() < 0.7)
