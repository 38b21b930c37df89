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
    "ending": {"copies": 0.02, "slips": 0.05, "tools": 0.48, "fields": 0.12, "texts": 0.17, "sums": 0.11, "knowledge": 0.05},
}
#: Phase -> split of words.py.
SPLITS = {"late": "train", "last": "train", "varied": "varied", "crowded": "crowded", "ending": "crowded"}
#: Weight of the end of a slip, which is all that is learnt of it.
SLIP_WEIGHT = 4.0


def copy_ids(rng: random.Random, tokenizer: Tokenizer) -> tuple:
    """Random tokens, then the same again or a piece of them; loss on what the first token of the copy settles."""
    size = rng.randint(6, 30) if rng.random() < 0.85 else rng.randint(30, 100)
    first = [rng.randrange(33, tokenizer.num_plain) for _ in range(size)]
    start = rng.randrange(size - 4) if rng.random() < 0.7 else 0
    copy = first[start:] if rng.random() < 0.5 else first[start : start + rng.randint(4, size)]
    ids = first + [10] + copy
    return ids, [0.0] * (len(first) + 2) + [1.0] * (len(copy) - 1)


def slip_ids(split: str, rng: random.Random, tokenizer: Tokenizer) -> tuple:
    """A reply that falls into a loop, and ends: a model that has lost its way does not go round for ever."""
    kind = rng.choices(("texts", "tools", "fields"), (0.6, 0.3, 0.1))[0]
    ids, weights = encode_sample(KINDS[kind](rng, split), tokenizer)
    start = len(ids) - 1
    while weights[start - 1] > 0:
        start -= 1
    end = rng.randint(min(start + 3, len(ids) - 1), len(ids) - 1)
    period = min(end - start, rng.randint(1, 6) if rng.random() < 0.3 else rng.randint(4, 30))
    loop = ids[end - period : end]
    # A text never says a dozen tokens again; two calls do, but not three times.
    least = max(-(-12 // period), 1 if kind == "texts" else 2)
    looped = loop * (least + rng.randint(0, 3)) + loop[: rng.randrange(period)]
    ids = ids[:end] + looped + [ids[-1]]
    return ids, [0.0] * (len(ids) - 1) + [SLIP_WEIGHT]


def draw(kind: str, split: str, rng: random.Random, tokenizer: Tokenizer, longest: int) -> tuple:
    """Ids and weights of one sample; at most `longest` tokens."""
    while True:
        if kind == "copies":
            ids, weights = copy_ids(rng, tokenizer)
        elif kind == "slips":
            ids, weights = slip_ids(split, rng, tokenizer)
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
