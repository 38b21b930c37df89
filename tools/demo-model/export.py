"""Writes a checkpoint as a Q8_0 GGUF: export.py --state FOLDER --out FILE. Norms stay f32."""

import argparse
import os
import struct

import numpy as np
import torch

from bpe import CONTROL, MARKERS, Tokenizer
from model import Config

ALIGNMENT = 32
F32, Q8_0 = 0, 8
NORMAL, CONTROL_KIND, USER_DEFINED, UNUSED = 1, 3, 4, 5
HERE = os.path.dirname(os.path.abspath(__file__))


def q8_0(weight: np.ndarray) -> bytes:
    """[rows, columns] f32 -> blocks of an f16 scale and 32 int8. As GGUF's reference: scale = max|x| / 127, quants rounded half away."""
    blocks = weight.reshape(-1, 32).astype(np.float32)
    scale = (np.abs(blocks).max(axis=1) / np.float32(127)).astype(np.float32)
    inverse = np.where(scale > 0, np.float32(1) / np.where(scale > 0, scale, 1), 0).astype(np.float32)
    scaled = blocks * inverse[:, None]
    quants = (np.sign(scaled) * np.floor(np.abs(scaled) + np.float32(0.5))).astype(np.int8)
    out = np.empty((len(blocks), 34), dtype=np.uint8)
    out[:, :2] = scale.astype("<f2")[:, None].view(np.uint8)
    out[:, 2:] = quants.view(np.uint8)
    return out.tobytes()


def tensors(state: dict, config: Config) -> list:
    """(name, shape, type, bytes) in GGUF's names."""
    model = {name: value.numpy() for name, value in state["model"].items()}
    out = []

    def matrix(name: str, weight) -> None:
        out.append((name, weight.shape, Q8_0, q8_0(weight)))

    def vector(name: str, weight) -> None:
        out.append((name, weight.shape, F32, weight.astype("<f4").tobytes()))

    matrix("token_embd.weight", model["embedding.weight"])
    vector("output_norm.weight", model["norm.weight"])
    q_rows, kv_rows = config.heads * config.head_dim, config.kv_heads * config.head_dim
    for layer in range(config.layers):
        old, new = f"layers.{layer}.", f"blk.{layer}."
        qkv = model[old + "attention.qkv.weight"]
        gate_up = model[old + "gate_up.weight"]
        vector(new + "attn_norm.weight", model[old + "attention_norm.weight"])
        matrix(new + "attn_q.weight", qkv[:q_rows])
        matrix(new + "attn_k.weight", qkv[q_rows : q_rows + kv_rows])
        matrix(new + "attn_v.weight", qkv[q_rows + kv_rows :])
        vector(new + "attn_q_norm.weight", model[old + "attention.q_norm.weight"])
        vector(new + "attn_k_norm.weight", model[old + "attention.k_norm.weight"])
        matrix(new + "attn_output.weight", model[old + "attention.out.weight"])
        vector(new + "ffn_norm.weight", model[old + "ffn_norm.weight"])
        matrix(new + "ffn_gate.weight", gate_up[: config.ffn])
        matrix(new + "ffn_up.weight", gate_up[config.ffn :])
        matrix(new + "ffn_down.weight", model[old + "down.weight"])
    return out


def metadata(tokenizer: Tokenizer, config: Config, template: str) -> list:
    """(key, kind, value) in order."""
    kinds = [NORMAL] * tokenizer.num_plain + [CONTROL_KIND] * len(CONTROL) + [USER_DEFINED] * len(MARKERS)
    kinds += [UNUSED] * (len(tokenizer.texts) - len(kinds))
    end, pad = tokenizer.ids["<|im_end|>"], tokenizer.ids["<|endoftext|>"]
    return [
        ("general.architecture", "string", "qwen3"),
        ("general.name", "string", "tf-demo"),
        ("general.license", "string", "apache-2.0"),
        ("general.file_type", "u32", 7),
        ("general.quantization_version", "u32", 2),
        ("qwen3.block_count", "u32", config.layers),
        ("qwen3.context_length", "u32", config.context),
        ("qwen3.embedding_length", "u32", config.width),
        ("qwen3.feed_forward_length", "u32", config.ffn),
        ("qwen3.attention.head_count", "u32", config.heads),
        ("qwen3.attention.head_count_kv", "u32", config.kv_heads),
        ("qwen3.attention.key_length", "u32", config.head_dim),
        ("qwen3.attention.value_length", "u32", config.head_dim),
        ("qwen3.attention.layer_norm_rms_epsilon", "f32", config.norm_eps),
        ("qwen3.rope.freq_base", "f32", config.rope_theta),
        ("tokenizer.ggml.model", "string", "gpt2"),
        ("tokenizer.ggml.pre", "string", "qwen2"),
        ("tokenizer.ggml.tokens", "strings", tokenizer.texts),
        ("tokenizer.ggml.token_type", "i32s", kinds),
        ("tokenizer.ggml.merges", "strings", [" ".join(pair) for pair in tokenizer.merges]),
        ("tokenizer.ggml.eos_token_id", "u32", end),
        ("tokenizer.ggml.padding_token_id", "u32", pad),
        ("tokenizer.ggml.add_bos_token", "bool", False),
        ("tokenizer.chat_template", "string", template),
    ]


def string(text: str) -> bytes:
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def value_bytes(kind: str, value) -> bytes:
    if kind == "u32":
        return struct.pack("<II", 4, value)
    if kind == "f32":
        return struct.pack("<If", 6, value)
    if kind == "bool":
        return struct.pack("<IB", 7, value)
    if kind == "string":
        return struct.pack("<I", 8) + string(value)
    if kind == "i32s":
        return struct.pack("<IIQ", 9, 5, len(value)) + np.array(value, dtype="<i4").tobytes()
    assert kind == "strings", kind
    return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(string(text) for text in value)


def gguf(entries: list, parts: list) -> bytes:
    """GGUF version 3; sizes of a shape fastest first, tensors aligned to 32 bytes."""
    out = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(parts), len(entries)))
    for key, kind, value in entries:
        out += string(key) + value_bytes(kind, value)
    offset = 0
    for name, shape, kind, data in parts:
        out += string(name) + struct.pack("<I", len(shape))
        out += b"".join(struct.pack("<Q", size) for size in reversed(shape)) + struct.pack("<IQ", kind, offset)
        offset += len(data) + -len(data) % ALIGNMENT
    out += bytes(-len(out) % ALIGNMENT)
    for _, _, _, data in parts:
        out += data + bytes(-len(data) % ALIGNMENT)
    return bytes(out)


def export(state_folder: str, name: str, out: str) -> None:
    tokenizer = Tokenizer.load(os.path.join(state_folder, "vocabulary.json"))
    state = torch.load(os.path.join(state_folder, name + ".pt"), weights_only=True)
    config = Config(**state["config"])
    with open(os.path.join(HERE, "chat-template.jinja"), encoding="utf-8") as file:
        template = file.read()
    data = gguf(metadata(tokenizer, config, template), tensors(state, config))
    with open(out, "wb") as file:
        file.write(data)
    print(f"{out}: {len(data)} bytes, step {state['step']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", required=True)
    parser.add_argument("--name", default="checkpoint")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    export(args.state, args.name, args.out)


if __name__ == "__main__":
    main()
