"""Start weights that can copy: an induction circuit (Olsson et al., 2022) written by hand into the first two layers.

At this size copying is the slowest thing to learn and what every task needs. Layer 0 has a head that reads the token before;
layer 1 has two heads that look for places where the token before was the present one, and add what stands there."""

import torch

from model import Qwen3

#: Residual stream: token identity, a constant, the token before; the rest is free.
IDENTITY, CONSTANT, BEFORE = 112, 112, 113
SHARPNESS = 2.0


@torch.no_grad()
def write_induction(model: Qwen3) -> None:
    """Replaces the embedding and some heads; needs a width of at least 177 and heads of 64 with two groups."""
    c = model.config
    assert c.width >= BEFORE + 64 and c.head_dim == 64 and c.kv_heads == 2 and c.heads == 4
    q, k, v = 0, c.heads * 64, (c.heads + c.kv_heads) * 64
    embedding = model.embedding.weight
    embedding.zero_()
    embedding[:, :IDENTITY].normal_(std=0.1)
    embedding[:, CONSTANT] = 0.3
    for layer in model.layers[:2]:
        layer.attention.q_norm.weight.fill_(SHARPNESS)
        layer.attention.k_norm.weight.fill_(SHARPNESS)

    # 64 directions of the identity that the token before is known by.
    known = torch.linalg.qr(torch.randn(IDENTITY, 64))[0].T
    first = model.layers[0].attention
    first.qkv.weight[q : q + 64] = 0
    first.qkv.weight[k : k + 64] = 0
    for pair in range(4):
        angle = torch.tensor(float(c.rope_theta ** (-pair / 32)))
        first.qkv.weight[q + pair, CONSTANT] = 1.0
        # Rotary positions turn the key by one place: the best match is the row before.
        first.qkv.weight[k + pair, CONSTANT] = angle.cos()
        first.qkv.weight[k + pair + 32, CONSTANT] = angle.sin()
    first.qkv.weight[v : v + 64] = 0
    first.qkv.weight[v : v + 64, :IDENTITY] = known
    first.out.weight[BEFORE : BEFORE + 64, :64] = 0.08 * torch.eye(64)

    # Pairs that turn by less than a radian over 400 rows: matching there does not see the distance.
    slow = torch.cat([torch.arange(14, 32), torch.arange(46, 64)])
    second = model.layers[1].attention
    for group, (directions, part) in enumerate(((torch.arange(0, 36), 0), (torch.arange(28, 64), IDENTITY - 64))):
        head = 2 * group
        rows_q, rows_k, rows_v = q + 64 * head, k + 64 * group, v + 64 * group
        for rows in (rows_q, rows_k, rows_v):
            second.qkv.weight[rows : rows + 64] = 0
        second.qkv.weight[rows_q + slow, :IDENTITY] = known[directions]
        second.qkv.weight[rows_k + slow, BEFORE + directions] = 1.0
        second.qkv.weight[rows_v : rows_v + 64, part : part + 64] = torch.eye(64)
        second.out.weight[part : part + 64, 64 * head : 64 * head + 64] = 0.3 * torch.eye(64)
