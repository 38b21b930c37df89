"""Qwen3 in plain PyTorch: norms on each query and key head, grouped heads, SwiGLU, tied embeddings."""

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Config:
    """Matrix inner sizes are multiples of 32, as Q8_0 wants."""

    vocab: int
    width: int = 288
    layers: int = 5
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 64
    ffn: int = 512
    rope_theta: float = 1e9
    norm_eps: float = 1e-6
    context: int = 2048

    def as_dict(self) -> dict:
        return asdict(self)


class RmsNorm(nn.Module):
    def __init__(self, size: int, eps: float, start: float = 1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((size,), start))
        self.eps = eps

    def forward(self, x):
        return F.rms_norm(x, (x.shape[-1],), self.weight, self.eps)


class Attention(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        rows = (config.heads + 2 * config.kv_heads) * config.head_dim
        self.qkv = nn.Linear(config.width, rows, bias=False)
        self.out = nn.Linear(config.heads * config.head_dim, config.width, bias=False)
        # Unit heads give logits of at most sqrt(head_dim): larger weights let attention be sharp from the start.
        self.q_norm = RmsNorm(config.head_dim, config.norm_eps, 1.25)
        self.k_norm = RmsNorm(config.head_dim, config.norm_eps, 1.25)

    def forward(self, x, cos, sin):
        """x [batch, rows, width]; cos, sin [rows, head_dim]."""
        c = self.config
        batch, rows, _ = x.shape
        sizes = [c.heads * c.head_dim, c.kv_heads * c.head_dim, c.kv_heads * c.head_dim]
        q, k, v = self.qkv(x).split(sizes, dim=-1)
        q = self.q_norm(q.view(batch, rows, c.heads, c.head_dim)).transpose(1, 2)
        k = self.k_norm(k.view(batch, rows, c.kv_heads, c.head_dim)).transpose(1, 2)
        v = v.view(batch, rows, c.kv_heads, c.head_dim).transpose(1, 2)
        q, k = rotated(q, cos, sin), rotated(k, cos, sin)
        groups = c.heads // c.kv_heads
        y = F.scaled_dot_product_attention(
            q, k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1), is_causal=True
        )
        return self.out(y.transpose(1, 2).reshape(batch, rows, -1))


def rotated(x, cos, sin):
    """Half-split rotary embedding."""
    half = x.shape[-1] // 2
    return x * cos + torch.cat([-x[..., half:], x[..., :half]], dim=-1) * sin


class Layer(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.attention_norm = RmsNorm(config.width, config.norm_eps)
        self.attention = Attention(config)
        self.ffn_norm = RmsNorm(config.width, config.norm_eps)
        self.gate_up = nn.Linear(config.width, 2 * config.ffn, bias=False)
        self.down = nn.Linear(config.ffn, config.width, bias=False)

    def forward(self, x, cos, sin):
        return self.feed(self.attend(x, cos, sin))

    def attend(self, x, cos, sin):
        return x + self.attention(self.attention_norm(x), cos, sin)

    def feed(self, x):
        gate, up = self.gate_up(self.ffn_norm(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


class Qwen3(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab, config.width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = RmsNorm(config.width, config.norm_eps)
        for name, weight in self.named_parameters():
            if weight.ndim < 2:
                continue
            if name.endswith(("out.weight", "down.weight")):
                nn.init.zeros_(weight)
            else:
                nn.init.normal_(weight, std=0.02 if "embedding" in name else config.width**-0.5)
        angles = torch.outer(
            torch.arange(config.context).float(),
            config.rope_theta ** (-torch.arange(0, config.head_dim, 2).float() / config.head_dim),
        )
        angles = torch.cat([angles, angles], dim=-1)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def logits(self, hidden):
        return F.linear(hidden, self.embedding.weight)

    def trunk(self, ids):
        """ids [batch, rows] -> what the last layer's feed-forward block reads [batch, rows, width]."""
        cos, sin = self.cos[: ids.shape[1]], self.sin[: ids.shape[1]]
        x = self.embedding(ids)
        for layer in self.layers[:-1]:
            x = layer(x, cos, sin)
        return self.layers[-1].attend(x, cos, sin)

    def loss(self, ids, targets, weights):
        """Weighted sum of cross entropies and the sum of weights. Rows of weight 0 are left out after the last attention."""
        keep = weights.flatten() > 0
        hidden = self.norm(self.layers[-1].feed(self.trunk(ids).flatten(0, 1)[keep]))
        logits = self.logits(hidden)
        losses = F.cross_entropy(logits, targets.flatten()[keep], reduction="none")
        kept = weights.flatten()[keep]
        return (losses * kept).sum(), kept.sum()
