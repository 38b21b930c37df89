"""Start weights that can copy: an induction circuit (Olsson et al., 2022) written by hand into the first three layers.

At this size copying is the slowest thing to learn and what every task needs. Layer 0 reads the tokens of this place and the
three before; layer 1 reads the same from four places before, so that every place knows its last eight tokens. Layer 2 looks
for places where the last seven, three or one tokens stood before, and adds what stands there. The lanes and heads that do
it are kept as they are while the rest is trained: `frozen` says which."""

import torch

from model import Qwen3

#: Residual stream: the tokens this place and one to seven before, 16 lanes each.
RECENT = 8 * 16
#: A token's own code, 16 lanes: a constant, and 15 that tell it from others. Recent tokens are copies of it.
CODE = slice(RECENT, RECENT + 16)
CONSTANT = RECENT
#: What the vocabulary product knows a token by, at first.
IDENTITY = slice(RECENT + 16, RECENT + 80)
#: Rotary pairs that turn slowly: matching there does not see the distance. The first ones serve to find a distance.
SLOW = torch.cat([torch.arange(12, 32), torch.arange(44, 64)])
PLACING = torch.cat([torch.arange(4), torch.arange(32, 36)])
#: Weights of the norms on queries and keys: the logit of an exact match is 8 times the square.
SHARP_PLACE, SHARP_MATCH = 3.0, 2.5
#: What earlier tokens weigh. Layer 0 writes more as it is trained, and the norm after it takes that off.
SHIFT_GAIN = 1.2
HEAD = 64
#: Of the rows of a qkv matrix, in heads: four of queries, two of keys, two of values.
KEY, VALUE = 4, 6


def place(index: int) -> slice:
    return slice(16 * index, 16 * index + 16)


def spread_codes(count: int, size: int) -> torch.Tensor:
    """Unit vectors [count, size], pushed apart."""
    codes = torch.nn.functional.normalize(torch.randn(count, size), dim=1)
    for _ in range(60):
        near = (codes @ codes.T - 2 * torch.eye(count)).mul(12).exp()
        codes = torch.nn.functional.normalize(codes - 0.3 * (near @ codes) / near.sum(1, keepdim=True), dim=1)
    return codes


@torch.no_grad()
def write_induction(model: Qwen3) -> None:
    """Replaces the embedding and the heads; needs a width of at least 208 and four heads of 64 in two groups."""
    c = model.config
    assert c.width >= IDENTITY.stop and c.head_dim == HEAD and c.kv_heads == 2 and c.heads == 4 and c.layers >= 3
    for name, mask in frozen(model).items():
        if "qkv" in name:
            model.get_parameter(name)[mask] = 0
    embedding = model.embedding.weight
    embedding.zero_()
    embedding[:, CONSTANT] = 1.0
    embedding[:, CONSTANT + 1 : CODE.stop] = 2 * spread_codes(c.vocab, 15)
    embedding[:, IDENTITY] = 3 * spread_codes(c.vocab, HEAD)
    scale = embedding.pow(2).mean(1).sqrt().mean()
    for layer, sharp_at, sharp in ((0, PLACING, SHARP_PLACE), (1, PLACING, SHARP_PLACE), (2, SLOW, SHARP_MATCH)):
        for norm in (model.layers[layer].attention.q_norm, model.layers[layer].attention.k_norm):
            norm.weight.fill_(1.25)
            norm.weight[sharp_at] = sharp

    first, second, third = (layer.attention for layer in model.layers[:3])
    for head in range(4):
        read_place(first, head, head, CONSTANT)
        first.out.weight[place(head), HEAD * head : HEAD * head + 16] = scale * torch.eye(16)
    for group in range(2):
        rows(first, VALUE + group)[:16, CODE] = torch.eye(16)
    read_place(second, 0, 4, 0)  # the constant of the place's own code
    rows(second, VALUE)[:, :HEAD] = torch.eye(HEAD)
    second.out.weight[HEAD : 2 * HEAD, :HEAD] = SHIFT_GAIN * torch.eye(HEAD)

    # Superposed: a match in full has the largest product, since queries and keys have one length.
    mixed = [torch.linalg.qr(torch.randn(len(SLOW), 15))[0] for _ in range(7)]
    for group, shares in ((0, (1.0, 0.9, 0.8, 0.7, 0.7, 0.7, 0.7)), (1, (1.0, 0.8, 0.6))):
        key, query = torch.zeros(2, len(SLOW), c.width)
        for index, share in enumerate(shares):
            key[:, 16 * index + 17 : 16 * index + 32] = share * mixed[index]
            query[:, 16 * index + 1 : 16 * index + 16] = share * mixed[index]
        rows(third, KEY + group)[SLOW] = key
        rows(third, 2 * group)[SLOW] = query
        rows(third, VALUE + group)[:] = 0
        rows(third, VALUE + group)[:, IDENTITY] = torch.eye(HEAD)
    # `query` is the short one: its first token alone.
    rows(third, 3)[SLOW, :16] = query[:, :16]
    for head, gain in ((0, 3.0), (2, 1.5), (3, 0.6)):
        third.out.weight[IDENTITY, HEAD * head : HEAD * (head + 1)] = gain * torch.eye(HEAD)
    model.norm.weight[: CODE.stop] = 0.05


def frozen(model: Qwen3) -> dict:
    """Parameter name -> mask of the entries that training leaves alone."""
    masks = {}

    def mask(name: str, *at) -> None:
        masks.setdefault(name, torch.zeros_like(model.get_parameter(name), dtype=torch.bool))[at] = True

    mask("embedding.weight", slice(None), CODE)
    kept = ((0, 1, 2, 3, KEY, KEY + 1), (0, KEY, VALUE), (0, 2, 3, KEY, KEY + 1))
    for layer, heads in enumerate(kept):
        at = f"layers.{layer}."
        for head in heads:
            mask(at + "attention.qkv.weight", slice(HEAD * head, HEAD * (head + 1)))
        mask(at + "attention_norm.weight", slice(CODE.stop))
        mask(at + "attention.q_norm.weight", slice(None))
        mask(at + "attention.k_norm.weight", slice(None))
        if layer < 2:
            mask(at + "attention.out.weight", slice(IDENTITY.stop))
            mask(at + "down.weight", slice(IDENTITY.stop))
    for group in (VALUE, VALUE + 1):
        mask("layers.0.attention.qkv.weight", slice(HEAD * group, HEAD * group + 16))
    return masks


def rows(attention, head: int) -> torch.Tensor:
    """The rows [64, width] of a query head, or of a group from KEY or VALUE on."""
    return attention.qkv.weight[HEAD * head : HEAD * (head + 1)]


def read_place(attention, head: int, distance: int, constant: int) -> None:
    """The head sees what stands `distance` places before: rotary positions turn the query there."""
    for pair in range(len(PLACING) // 2):
        angle = torch.tensor(-distance * float(attention.config.rope_theta ** (-pair / 32)))
        rows(attention, head)[pair, constant] = angle.cos()
        rows(attention, head)[pair + 32, constant] = angle.sin()
        rows(attention, KEY + head // 2)[pair, constant] = 1.0
