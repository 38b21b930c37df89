"""Widens a trained model and adds heads that match four tokens: grow.py --state FOLDER --start NAME.pt --out NAME.pt.

What the model computes stays nearly the same. Layer 0 gets two heads that read the tokens three and four places before;
layer 1 gets two that look for a place where the last tokens stood before, and bring what follows there. Which token stands
where is read from the residual stream by least squares, on sampled conversations."""

import argparse
import os
import random

import torch

from bpe import Tokenizer
from mixture import SHARES, draw
from model import Config, Qwen3

WIDTH, FFN, HEADS, KV_HEADS = 256, 512, 6, 3
#: New residual lanes: a code of the token three places before, and of the one four before.
THIRD, FOURTH = slice(192, 224), slice(224, 256)
#: Rotary pairs that turn slowly: matching there does not see the distance.
SLOW = torch.cat([torch.arange(16, 32), torch.arange(48, 64)])
CODE = 8
RIDGE = 1e-5


@torch.no_grad()
def widened(old: Qwen3) -> Qwen3:
    """The same function in more lanes: new ones start empty, so a norm's mean square shrinks and its weight makes up for it."""
    c = old.config
    new = Qwen3(Config(vocab=c.vocab, width=WIDTH, layers=c.layers, heads=HEADS, kv_heads=KV_HEADS, ffn=FFN))
    w, shrink = c.width, (c.width / WIDTH) ** 0.5
    new.embedding.weight.zero_()
    new.embedding.weight[:, :w] = old.embedding.weight
    new.norm.weight[:w] = old.norm.weight * shrink
    new.norm.weight[w:] = 1.0
    for a, b in zip(old.layers, new.layers):
        for norm in ("attention_norm", "ffn_norm"):
            getattr(b, norm).weight[:w] = getattr(a, norm).weight * shrink
        for norm in ("q_norm", "k_norm"):
            getattr(b.attention, norm).weight.copy_(getattr(a.attention, norm).weight)
        rows = b.attention.qkv.weight
        for old_at, new_at, heads in ((0, 0, c.heads), (c.heads, HEADS, c.kv_heads), (c.heads + c.kv_heads, HEADS + KV_HEADS, c.kv_heads)):
            rows[64 * new_at : 64 * (new_at + heads)] = 0
            rows[64 * new_at : 64 * (new_at + heads), :w] = a.attention.qkv.weight[64 * old_at : 64 * (old_at + heads)]
        b.attention.out.weight.zero_()
        b.attention.out.weight[:w, : 64 * c.heads] = a.attention.out.weight
        f = c.ffn
        for at, part in ((0, a.gate_up.weight[:f]), (FFN, a.gate_up.weight[f:])):
            b.gate_up.weight[at : at + f] = 0
            b.gate_up.weight[at : at + f, :w] = part
        b.down.weight.zero_()
        b.down.weight[:w, :f] = a.down.weight
    return new


def fitted(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """W of y = W x by ridge regression; x [rows, n], y [rows, m]."""
    gram = x.T @ x / len(x)
    return torch.linalg.solve(gram + RIDGE * gram.diagonal().mean() * torch.eye(x.shape[1]), x.T @ y / len(x)).T


@torch.no_grad()
def write_earlier_tokens(model: Qwen3, codes: torch.Tensor) -> None:
    """Layer 0, heads 4 and 5: codes [vocab, 64] of the tokens three and four before, into the new lanes."""
    c, layer = model.config, model.layers[0]
    seen = layer.attention_norm(model.embedding.weight)
    one = fitted(seen, torch.ones(c.vocab, 1))[0]
    rows = layer.attention.qkv.weight
    k, v = 64 * (HEADS + 2), 64 * (HEADS + KV_HEADS + 2)
    rows[k : k + 64] = 0
    rows[v : v + 64] = fitted(seen, codes)
    for head, distance, lanes in ((4, 3, THIRD), (5, 4, FOURTH)):
        q = 64 * head
        rows[q : q + 64] = 0
        for pair in range(4):
            angle = torch.tensor(-distance * float(c.rope_theta ** (-pair / 32)))
            rows[q + pair], rows[q + pair + 32] = one * angle.cos(), one * angle.sin()
            rows[k + pair] = one
        layer.attention.out.weight[lanes, q : q + 64] = 0.3 * torch.eye(32, 64)


def residuals(model: Qwen3, tokenizer: Tokenizer, count: int):
    """What layer 1's attention sees on sampled conversations, and the token ids: [rows, width], [rows, 5] (this, then 1 to 4 before)."""
    rng, xs, ids_of = random.Random(11), [], []
    for _ in range(count):
        kind = rng.choice([kind for kind in SHARES["late"] if kind != "copies"])
        ids, _ = draw(kind, rng, tokenizer, 640)
        ids = torch.tensor(ids)
        cos, sin = model.cos[: len(ids)], model.sin[: len(ids)]
        x, _ = model.layers[0](model.embedding(ids)[None], cos, sin)
        xs.append(model.layers[1].attention_norm(x)[0, 4:])
        ids_of.append(torch.stack([ids[4 - i : len(ids) - i] for i in range(5)], dim=1))
    return torch.cat(xs), torch.cat(ids_of)


@torch.no_grad()
def write_match(model: Qwen3, tokenizer: Tokenizer, codes: torch.Tensor, gain: float) -> None:
    """Layer 1, heads 4 and 5: match four tokens, or three, and bring the token that follows."""
    x, ids = residuals(model, tokenizer, 400)
    used = [codes[:, CODE * i : CODE * (i + 1)] for i in range(4)]
    rows = model.layers[1].attention.qkv.weight
    k, v = 64 * (HEADS + 2), 64 * (HEADS + KV_HEADS + 2)
    key = fitted(x, torch.cat([used[i][ids[:, i + 1]] for i in range(4)], dim=1))
    query = fitted(x, torch.cat([used[i][ids[:, i]] for i in range(4)], dim=1))
    rows[k : k + 64] = 0
    rows[k + SLOW] = key
    for head, parts in ((4, 4), (5, 3)):
        rows[64 * head : 64 * (head + 1)] = 0
        rows[64 * head + SLOW[: CODE * parts]] = query[: CODE * parts]
    # The value is the token's own direction: the embedding's main 64.
    embedding = model.embedding.weight
    main = torch.linalg.svd(embedding - embedding.mean(0), full_matrices=False)[2][:64]
    rows[v : v + 64] = fitted(x, (embedding @ main.T)[ids[:, 0]])
    for head in (4, 5):
        model.layers[1].attention.out.weight[:, 64 * head : 64 * (head + 1)] = gain * main.T


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", required=True)
    parser.add_argument("--start", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--gain", type=float, default=1.0)
    args = parser.parse_args()
    torch.manual_seed(11)
    tokenizer = Tokenizer.load(os.path.join(args.state, "vocabulary.json"))
    state = torch.load(os.path.join(args.state, args.start), weights_only=True)
    old = Qwen3(Config(**state["config"]))
    old.load_state_dict(state["model"])
    model = widened(old)
    embedding = old.embedding.weight.detach()
    white = torch.linalg.svd(embedding - embedding.mean(0), full_matrices=False)[0][:, :128] * len(embedding) ** 0.5
    codes = white @ torch.linalg.qr(torch.randn(128, 64))[0]
    with torch.no_grad():
        write_earlier_tokens(model, codes)
        write_match(model, tokenizer, codes, args.gain)
    torch.save({"config": model.config.as_dict(), "model": model.state_dict(), "step": state["step"], "tokens": state["tokens"], "run": state["run"], "first": state["step"]}, os.path.join(args.state, args.out))


if __name__ == "__main__":
    main()
