"""The model's own byte-level BPE: trained on generated text, cut as GGUF's "qwen2" pre-tokenizer cuts.

A word falls into the same pieces wherever it stands, which makes copying easy for a small model: letters merge only with
letters, a capitalised word as the same word in small letters, and a blank only with words that few others begin with."""

import json
from collections import Counter

import regex

CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MARKERS = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<tools>", "</tools>"]
PIECES = regex.compile(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
ADDED = regex.compile("(" + "|".join(regex.escape(token) for token in CONTROL + MARKERS) + ")")


def byte_alphabet() -> list:
    """GPT-2's printable character for each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table, extra = {}, 0
    for byte in range(256):
        if byte in printable:
            table[byte] = chr(byte)
        else:
            table[byte] = chr(256 + extra)
            extra += 1
    return [table[byte] for byte in range(256)]


ALPHABET = byte_alphabet()
BLANK = ALPHABET[32]


def to_alphabet(text: str) -> str:
    return "".join(ALPHABET[byte] for byte in text.encode("utf-8"))


def train(texts, num_letter_merges: int, num_mark_merges: int, num_blank_words: int) -> list:
    """Merges in order of rank: letters, each followed by its capitalised twin, and punctuation, by frequency; then blank + word."""
    words, marks, blanks = Counter(), Counter(), Counter()
    for text in texts:
        for part in ADDED.split(text):
            if ADDED.fullmatch(part):
                continue
            for piece in PIECES.findall(part):
                if piece[-1].isalpha():
                    word = piece if piece[0].isalpha() else piece[1:]
                    words[small(word)] += 1
                    blanks[word] += piece[0] == " "
                elif not piece[-1].isdigit():
                    marks[piece] += 1
    # Made-up words, most of them seen once, would crowd out the words that texts are made of: one in eight counts.
    rare = sorted(word for word, count in words.items() if count < 4)
    for index, word in enumerate(rare):
        if index % 8 != 0:
            del words[word]
    merges, pieces_of = merges_of(words, num_letter_merges)
    letter_merges = list(dict.fromkeys(twin for left, right in merges for twin in ((left, right), (capital(left), right))))
    mark_merges, _ = merges_of(marks, num_mark_merges)
    begun = Counter()
    for word, parts in pieces_of.items():
        if len(parts) > 1:
            begun[parts[0]] += words[word]
    whole = [
        word
        for word, count in sorted(blanks.items(), key=lambda item: (-item[1], item[0]))
        if len(word) > 2 and small(word) == word and len(pieces_of.get(word, ())) == 1 and begun[word] < 0.1 * count
    ]
    return letter_merges + mark_merges + [(BLANK, to_alphabet(word)) for word in whole[:num_blank_words]]


def small(word: str) -> str:
    """A capitalised word in small letters; others, such as JSON, as they are."""
    return word.lower() if word.isascii() and (word[1:].islower() or len(word) == 1) else word


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def merges_of(counts: Counter, num_merges: int) -> tuple:
    """The most frequent pair first, ties by text; and each piece's final symbols."""
    symbols = {text: list(to_alphabet(text)) for text in counts}
    merges = []
    for _ in range(num_merges):
        pairs = Counter()
        for text, parts in symbols.items():
            for pair in zip(parts, parts[1:]):
                pairs[pair] += counts[text]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        for text, parts in symbols.items():
            if len(parts) > 1:
                symbols[text] = merged(parts, best)
    return merges, symbols


def merged(parts: list, pair: tuple) -> list:
    out, at = [], 0
    while at < len(parts):
        if at + 1 < len(parts) and (parts[at], parts[at + 1]) == pair:
            out.append(parts[at] + parts[at + 1])
            at += 2
        else:
            out.append(parts[at])
            at += 1
    return out


class Tokenizer:
    """Text to ids and back. Ids: bytes, merges in order of rank, control tokens, markers, padding to a multiple of 32."""

    def __init__(self, merges: list):
        self.merges = [tuple(pair) for pair in merges]
        # Two merges may give the same text: one token.
        texts = list(dict.fromkeys(ALPHABET + [left + right for left, right in self.merges]))
        self.num_plain = len(texts)
        texts += CONTROL + MARKERS
        self.num_used = len(texts)
        texts += [f"<|unused_{i}|>" for i in range(-len(texts) % 32)]
        self.texts = texts
        self.ids = {text: index for index, text in enumerate(texts)}
        self.ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self.cache = {}
        self.end = self.ids["<|im_end|>"]
        #: Of each id, the same text in small letters; itself where there is none.
        self.small = [self.ids.get(small(text), index) for index, text in enumerate(texts)]
        self.byte_of = {char: byte for byte, char in enumerate(ALPHABET)}

    @classmethod
    def load(cls, path: str) -> "Tokenizer":
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file)["merges"])

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"merges": self.merges}, file, ensure_ascii=False, indent=0)

    def encode(self, text: str, added: bool = True) -> list:
        out = []
        for part in ADDED.split(text) if added else [text]:
            if added and part in self.ids and ADDED.fullmatch(part):
                out.append(self.ids[part])
                continue
            for piece in PIECES.findall(part):
                found = self.cache.get(piece)
                if found is None:
                    found = self.cache[piece] = self.encode_piece(piece)
                out += found
        return out

    def encode_piece(self, piece: str) -> list:
        parts = list(to_alphabet(piece))
        while len(parts) > 1:
            best = min(zip(parts, parts[1:]), key=lambda pair: self.ranks.get(pair, 1 << 30))
            if best not in self.ranks:
                break
            parts = merged(parts, best)
        return [self.ids[part] for part in parts]

    def decode(self, ids) -> str:
        """Markers as their text; control tokens too."""
        out = bytearray()
        for token in ids:
            text = self.texts[token]
            out += bytes(self.byte_of[char] for char in text) if token < self.num_plain else text.encode("utf-8")
        return out.decode("utf-8", errors="replace")
