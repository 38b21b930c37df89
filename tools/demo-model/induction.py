"""Start weights that can copy: an induction circuit (Olsson et al., 2022) written by hand into the first three layers.

Layer 0 reads the tokens of the four places before; layer 1 reads the same from four places before, so that every place knows
its last nine tokens. Layer 2 looks for places where the last eight, three or one tokens stood before, and adds what stands
there. The lanes and heads that do it are kept as they are while the rest is trained: `frozen` says which. An embedding keeps
its length, and `level` sees that far tokens weigh what near ones do: only so is a full match the best one."""

import torch

from model import Qwen3

#: Residual stream: the tokens one to eight places before, 16 lanes each.
RECENT = 8 * 16
#: A token's own code, 16 lanes: a constant, and 15 that tell it from others. Recent tokens are copies of it.
CODE = slice(RECENT, RECENT + 16)
CONSTANT = RECENT
#: What the vocabulary product knows a token by, at first.
IDENTITY = slice(RECENT + 16, RECENT + 80)
#: Length of what an embedding has beside its code.
LENGTH = 4.0
#: Cosines of a capitalised token and its small form: of what they are found by, and of what they are written by.
LIKE_CODE, LIKE_IDENTITY = 0.85, 0.5
#: Rotary pairs that turn slowly: matching there does not see the distance. The first ones serve to find a distance.
SLOW = torch.cat([torch.arange(12, 32), torch.arange(44, 64)])
PLACING = torch.cat([torch.arange(4), torch.arange(32, 36)])
#: Weights of the norms on queries and keys: the logit of an exact match is 8 times the square.
SHARP_PLACE, SHARP_MATCH = 3.0, 2.5
HEAD = 64
#: Of the rows of a qkv matrix, in heads: four of queries, two of keys, two of values.
KEY, VALUE = 4, 6


def place(index: int) -> slice:
    return slice(16 * index, 16 * index + 16)


def spread_codes(small: list, size: int, likeness: float) -> torch.Tensor:
    """Unit vectors [tokens, size], pushed apart; `small` gives each token's small form, which its own code leans to."""
    count = len(small)
    codes = torch.nn.functional.normalize(torch.randn(count, size), dim=1)
    for _ in range(60):
        near = (codes @ codes.T - 2 * torch.eye(count)).mul(12).exp()
        codes = torch.nn.functional.normalize(codes - 0.3 * (near @ codes) / near.sum(1, keepdim=True), dim=1)
    base = codes[small]
    own = torch.nn.functional.normalize(codes - (codes * base).sum(1, keepdim=True) * base, dim=1)
    leaning = likeness * base + (1 - likeness**2) ** 0.5 * own
    return torch.where((torch.tensor(small) == torch.arange(count))[:, None], codes, leaning)


@torch.no_grad()
def write_induction(model: Qwen3, small: list) -> None:
    """Replaces the embedding and the heads; needs a width of at least 208 and four heads of 64 in two groups."""
    c = model.config
    assert c.width >= IDENTITY.stop and c.head_dim == HEAD and c.kv_heads == 2 and c.heads == 4 and c.layers >= 3
    for name, mask in frozen(model).items():
        if "qkv" in name:
            model.get_parameter(name)[mask] = 0
    embedding = model.embedding.weight
    embedding[:, CONSTANT] = 1.0
    embedding[:, CONSTANT + 1 : CODE.stop] = 2 * spread_codes(small, 15, LIKE_CODE)
    embedding[:, IDENTITY] = 3 * spread_codes(small, HEAD, LIKE_IDENTITY)
    embedding[:, IDENTITY.stop :].normal_()
    keep_length(embedding)
    scale = embedding[0].pow(2).mean().sqrt()
    for layer, sharp_at, sharp in ((0, PLACING, SHARP_PLACE), (1, PLACING, SHARP_PLACE), (2, SLOW, SHARP_MATCH)):
        for norm in (model.layers[layer].attention.q_norm, model.layers[layer].attention.k_norm):
            norm.weight.fill_(1.25)
            norm.weight[sharp_at] = sharp

    first, second, third = (layer.attention for layer in model.layers[:3])
    for head in range(4):
        read_place(first, head, head + 1, CONSTANT)
        first.out.weight[place(head), HEAD * head : HEAD * head + 16] = scale * torch.eye(16)
    for group in range(2):
        rows(first, VALUE + group)[:16, CODE] = torch.eye(16)
    read_place(second, 0, 4, CONSTANT)
    rows(second, VALUE)[:, :HEAD] = torch.eye(HEAD)

    # Superposed: a match in full has the largest product, since queries and keys have one length.
    read = [CODE.start, *range(0, RECENT, 16)]
    mixed = [torch.linalg.qr(torch.randn(len(SLOW), 15))[0] for _ in range(8)]
    for group, shares in ((0, (1.0, 0.95, 0.9, 0.85, 0.8, 0.8, 0.8, 0.8)), (1, (1.0, 0.8, 0.6))):
        key, query = torch.zeros(2, len(SLOW), c.width)
        for index, share in enumerate(shares):
            key[:, read[index + 1] + 1 : read[index + 1] + 16] = share * mixed[index]
            query[:, read[index] + 1 : read[index] + 16] = share * mixed[index]
        rows(third, KEY + group)[SLOW] = key
        rows(third, 2 * group)[SLOW] = query
        rows(third, VALUE + group)[:] = 0
        rows(third, VALUE + group)[:, IDENTITY] = torch.eye(HEAD)
    # `query` is the short one: its first token alone.
    rows(third, 3)[SLOW, CODE] = query[:, CODE]
    for head, gain in ((0, 5.0), (2, 2.0), (3, 0.6)):
        third.out.weight[IDENTITY, HEAD * head : HEAD * (head + 1)] = gain * torch.eye(HEAD)
    model.norm.weight[: CODE.stop] = 0.05
    model.norm.weight[IDENTITY.stop :] = 0.3


@torch.no_grad()
def strengthen(model: Qwen3, gain: float) -> None:
    """What the head of the longest match adds, times `gain`: as the rest learns to add more, copying has to keep up."""
    model.layers[2].attention.out.weight[:, :HEAD] *= gain


@torch.no_grad()
def keep_length(embedding: torch.Tensor) -> None:
    """Sets what each row has beside its code to LENGTH, so that no token's code weighs more than another's."""
    rest = embedding[:, CODE.stop :]
    rest.mul_(LENGTH / rest.norm(dim=1, keepdim=True))


@torch.no_grad()
def level(model: Qwen3, ids: torch.Tensor) -> None:
    """Tokens read in layer 1 get the length of those read in layer 0, for the residual stream as it is at ids [batch, rows]."""
    rows = ids.shape[1]
    x = model.layers[0](model.embedding(ids), model.cos[:rows], model.sin[:rows])
    model.layers[1].attention.out.weight[HEAD : 2 * HEAD, :HEAD] = x.pow(2).mean(-1).sqrt().mean() * torch.eye(HEAD)



def frozen(model: Qwen3) -> dict:
    """Parameter name -> mask of the entries that training leaves alone."""
    masks = {}

    def mask(name: str, *at) -> None:
        masks.setdefault(name, torch.zeros_like(model.get_parameter(name), dtype=torch.bool))[at] = True

    mask("embedding.weight", slice(None), slice(CODE.stop))
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
