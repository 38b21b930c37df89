"""Trains the vocabulary and writes it: make_vocabulary.py OUT."""

import sys

from bpe import Tokenizer, train
from mixture import bpe_texts

SEED = 7
NUM_SAMPLES = 6_000


def main(path: str) -> None:
    merges = train(bpe_texts(SEED, NUM_SAMPLES), num_letter_merges=480, num_mark_merges=64, num_blank_words=100)
    tokenizer = Tokenizer(merges)
    tokenizer.save(path)
    print(f"{len(tokenizer.texts)} tokens, {len(merges)} merges")


if __name__ == "__main__":
    main(sys.argv[1])
