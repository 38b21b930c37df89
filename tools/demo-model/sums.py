"""Sums and differences of numbers up to 99, worked out digit by digit in the think block."""

import random
import zlib

from chat import Sample, Turn
from knowledge import with_system


def is_held_out(a: int, b: int, sign: str) -> bool:
    """One pair in ten is for the evaluation only."""
    return zlib.crc32(f"{a}{sign}{b}".encode()) % 10 == 0


def reasoning(a: int, b: int, sign: str) -> str:
    if sign == "+":
        ones = a % 10 + b % 10
        lines = [f"{a % 10} + {b % 10} = {ones}"]
        if a > 9 or b > 9:
            carry = ones // 10
            tens = f"{a // 10} + {b // 10}" + (f" + {carry}" if carry else "")
            lines.append(f"{tens} = {a // 10 + b // 10 + carry}")
        return ", ".join(lines) + f": {a + b}"
    return difference(a, b)


def difference(a: int, b: int) -> str:
    """Which number is larger, and whether to borrow, is settled by two digits that stand side by side."""
    order = compared(a // 10, b // 10)
    if a >= b:
        return f"{order}. {digits_of_difference(a, b)}"
    if a // 10 == b // 10:
        order += f". {compared(a % 10, b % 10)}"
    return f"{order}, so {b} - {a}. {digits_of_difference(b, a)}, so -{b - a}"


def compared(a: int, b: int) -> str:
    return f"{a}, {b}: {'less' if a < b else 'more' if a > b else 'same'}"


def digits_of_difference(a: int, b: int) -> str:
    """For a >= b."""
    borrow = 1 if a % 10 < b % 10 else 0
    so = ", so" if borrow else "."
    lines = [f"{compared(a % 10, b % 10)}{so} {a % 10 + 10 * borrow} - {b % 10} = {(a - b) % 10}"]
    if a > 9:
        tens = f"{a // 10} - {b // 10}" + (" - 1" if borrow else "")
        lines.append(f"{tens} = {a // 10 - b // 10 - borrow}")
    return ", ".join(lines) + f": {a - b}"


PLUS = ["What is {a} + {b}?", "{a} + {b}", "{a}+{b}", "What is {a} plus {b}?", "Add {a} and {b}.", "How much is {a} + {b}?", "Calculate {a} + {b}.", "{a} plus {b}", "{a} + {b} = ?", "What is the sum of {a} and {b}?", "Compute {a} + {b}"]
MINUS = ["What is {a} - {b}?", "{a} - {b}", "{a}-{b}", "What is {a} minus {b}?", "Subtract {b} from {a}.", "How much is {a} - {b}?", "Calculate {a} - {b}.", "{a} minus {b}", "{a} - {b} = ?", "Compute {a} - {b}"]


def sum_turns(rng: random.Random, split: str = "train") -> tuple:
    """A question and its reply."""
    while True:
        sign = rng.choice("++-")
        a, b = rng.randint(0, 99), rng.randint(0, 99)
        if rng.random() < 0.15:
            a, b = a % 10, b % 10
        if sign == "-" and a < b and rng.random() < 0.6:
            a, b = b, a
        if is_held_out(a, b, sign) == (split == "eval"):
            break
    question = rng.choice(PLUS if sign == "+" else MINUS).format(a=a, b=b)
    result = a + b if sign == "+" else a - b
    return Turn("user", question), Turn("assistant", f"{a} {sign} {b} = {result}", reasoning(a, b, sign))


def sum_sample(rng: random.Random, split: str = "train") -> Sample:
    turns = []
    for _ in range(rng.choice((1, 1, 1, 2)) if split != "eval" else 1):
        question, reply = sum_turns(rng, split)
        while split != "eval" and " + " in reply.content and rng.random() < 0.4:
            question, reply = sum_turns(rng, split)
        turns += (question, reply)
    is_thinking = split == "eval" or rng.random() < 0.85
    return Sample(with_system(turns, rng), thinks=is_thinking)
