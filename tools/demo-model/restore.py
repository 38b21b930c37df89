"""Reads a GGUF of export.py back as a checkpoint: restore.py --gguf FILE --state FOLDER --name NAME.

What it gives is rounded to Q8_0, its step is 0 and its optimizers have no momentum yet."""

import argparse
import os
import struct

import numpy as np
import torch

from export import ALIGNMENT, Q8_0
from model import Config, Qwen3
from train import optimizers, save, snapshot

#: GGUF value type -> bytes; 8 is a string, 9 an array.
SIZES = {4: 4, 5: 4, 6: 4, 7: 1}


class Reader:
    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def unpack(self, form: str):
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += struct.calcsize("<" + form)
        return value

    def string(self) -> str:
        size = self.unpack("Q")
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8")

    def skip(self, kind: int) -> None:
        if kind == 8:
            self.string()
        elif kind == 9:
            inner = self.unpack("I")
            for _ in range(self.unpack("Q")):
                self.skip(inner)
        else:
            self.at += SIZES[kind]


def arrays(data: bytes) -> dict:
    """Tensor name -> f32 [rows, columns] or [size]."""
    reader = Reader(data)
    reader.at = 8
    num_tensors, num_entries = reader.unpack("Q"), reader.unpack("Q")
    for _ in range(num_entries):
        reader.string()
        reader.skip(reader.unpack("I"))
    infos = []
    for _ in range(num_tensors):
        name = reader.string()
        shape = [reader.unpack("Q") for _ in range(reader.unpack("I"))][::-1]
        infos.append((name, shape, reader.unpack("I"), reader.unpack("Q")))
    start = reader.at + -reader.at % ALIGNMENT
    return {name: values(data, start + offset, shape, kind) for name, shape, kind, offset in infos}


def values(data: bytes, at: int, shape: list, kind: int) -> np.ndarray:
    count = int(np.prod(shape))
    if kind != Q8_0:
        return np.frombuffer(data, "<f4", count, at).reshape(shape)
    blocks = np.frombuffer(data, np.uint8, count // 32 * 34, at).reshape(-1, 34)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    return (blocks[:, 2:].view(np.int8) * scales).reshape(shape)


@torch.no_grad()
def restore(path: str, state_folder: str, name: str) -> None:
    with open(path, "rb") as file:
        data = file.read()
    found = arrays(data)
    model = Qwen3(Config(vocab=len(found["token_embd.weight"])))
    weight = lambda key: torch.from_numpy(found[key].copy())
    rename = {"attn_norm": "attention_norm", "ffn_norm": "ffn_norm", "ffn_down": "down", "attn_output": "attention.out",
              "attn_q_norm": "attention.q_norm", "attn_k_norm": "attention.k_norm"}
    state = {"embedding.weight": weight("token_embd.weight"), "norm.weight": weight("output_norm.weight")}
    for layer in range(model.config.layers):
        old, new = f"blk.{layer}.", f"layers.{layer}."
        for key, value in rename.items():
            state[f"{new}{value}.weight"] = weight(f"{old}{key}.weight")
        state[new + "attention.qkv.weight"] = torch.cat([weight(f"{old}attn_{part}.weight") for part in "qkv"])
        state[new + "gate_up.weight"] = torch.cat([weight(f"{old}ffn_{part}.weight") for part in ("gate", "up")])
    model.load_state_dict(state)
    save(os.path.join(state_folder, name + ".pt"), snapshot(model, *optimizers(model), 0, 0, 0, 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--name", required=True)
    args = parser.parse_args()
    restore(args.gguf, args.state, args.name)


if __name__ == "__main__":
    main()
