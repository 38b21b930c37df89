"""Greedy replies from the PyTorch model, many prompts of a length class at once."""

import torch


@torch.no_grad()
def replies(model, tokenizer, prompts: list, max_tokens: int) -> list:
    """prompts: lists of ids. Ids of each reply, its end token included where it came. Prompts of equal length run together."""
    by_length = {}
    for index, prompt in enumerate(prompts):
        by_length.setdefault(len(prompt), []).append(index)
    out = [None] * len(prompts)
    for indexes in by_length.values():
        ids = torch.tensor([prompts[index] for index in indexes])
        hidden, caches = model(ids)
        done = [False] * len(indexes)
        rows = [[] for _ in indexes]
        at = ids.shape[1]
        for _ in range(max_tokens):
            tokens = model.logits(hidden[:, -1]).argmax(dim=-1)
            for row, token in enumerate(tokens.tolist()):
                if not done[row]:
                    rows[row].append(token)
                    done[row] = token == tokenizer.end
            if all(done) or at >= model.config.context:
                break
            hidden, caches = model(tokens[:, None], caches, at)
            at += 1
        for row, index in enumerate(indexes):
            out[index] = rows[row]
    return out
