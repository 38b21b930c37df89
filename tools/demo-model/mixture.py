"""What training reads: random sequences to copy, and conversations of every kind, in shares that change as it goes."""

import random

from bpe import Tokenizer
from chat import encode_sample, segments
from field_samples import field_sample
from knowledge import knowledge_sample
from sums import sum_sample
from text_samples import text_sample
from tool_samples import tool_sample

KINDS = {
    "tools": tool_sample,
    "fields": field_sample,
    "texts": text_sample,
    "sums": sum_sample,
    "knowledge": lambda rng, _split: knowledge_sample(rng),
}

#: Phase -> kind -> share of the tokens.
SHARES = {
    "late": {"copies": 0.02, "tools": 0.47, "fields": 0.16, "texts": 0.12, "sums": 0.14, "knowledge": 0.09},
    "last": {"copies": 0.01, "tools": 0.5, "fields": 0.17, "texts": 0.11, "sums": 0.14, "knowledge": 0.07},
    "varied": {"copies": 0.01, "tools": 0.56, "fields": 0.16, "texts": 0.1, "sums": 0.12, "knowledge": 0.05},
    "crowded": {"copies": 0.02, "tools": 0.52, "fields": 0.14, "texts": 0.13, "sums": 0.14, "knowledge": 0.05},
}
#: Phase -> split of words.py.
SPLITS = {"late": "train", "last": "train", "varied": "varied", "crowded": "crowded"}


def copy_ids(rng: random.Random, tokenizer: Tokenizer) -> tuple:
    """Random tokens, then the same again or a piece of them; loss on what the first token of the copy settles."""
    size = rng.randint(6, 30) if rng.random() < 0.85 else rng.randint(30, 100)
    first = [rng.randrange(33, tokenizer.num_plain) for _ in range(size)]
    start = rng.randrange(size - 4) if rng.random() < 0.7 else 0
    copy = first[start:] if rng.random() < 0.5 else first[start : start + rng.randint(4, size)]
    ids = first + [10] + copy
    return ids, [0.0] * (len(first) + 2) + [1.0] * (len(copy) - 1)


def draw(kind: str, split: str, rng: random.Random, tokenizer: Tokenizer, longest: int) -> tuple:
    """Ids and weights of one sample; at most `longest` tokens."""
    while True:
        if kind == "copies":
            ids, weights = copy_ids(rng, tokenizer)
        else:
            ids, weights = encode_sample(KINDS[kind](rng, split), tokenizer)
        if len(ids) <= longest:
            return ids, weights


def bpe_texts(seed: int, num_samples: int):
    """What the vocabulary is trained on: conversations, without the random copies."""
    rng = random.Random(seed)
    shares = {"tools": 0.35, "fields": 0.15, "texts": 0.15, "sums": 0.05, "knowledge": 0.3}
    for _ in range(num_samples):
        kind = rng.choices(list(shares), list(shares.values()))[0]
        yield "".join(text for text, _ in segments(KINDS[kind](rng, "train")))
