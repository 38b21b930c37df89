"""Trains the model, or goes on from its last checkpoint: train.py --state FOLDER [--phase late] [--minutes 60].

The state folder holds vocabulary.json, checkpoint.pt (replaced as training goes), and log.txt."""

import argparse
import itertools
import os
import random
import signal
import time

import torch

from bpe import Tokenizer
from induction import frozen, keep_length, level, strengthen, write_induction
from mixture import SHARES, SPLITS, draw
from model import Config, Qwen3
from muon import Muon

SEED = 7
#: Tokens of one optimizer step, as micro-batches of rows of like length.
MICRO_TOKENS = 4096
MICRO_BATCHES = 1
MUON_LR = 0.02
ADAM_LR = 0.004
#: Of the matrices, a step and learning rate.
WEIGHT_DECAY = 0.03


class Feed:
    """Micro-batches [rows, longest]: samples drawn by token shares, sorted so that rows of one batch are of like length."""

    def __init__(self, tokenizer: Tokenizer, seed: int, phase: str, longest: int):
        self.tokenizer, self.longest = tokenizer, longest
        self.rng = random.Random(seed)
        self.shares, self.split = SHARES[phase], SPLITS[phase]
        self.spent = dict.fromkeys(self.shares, 0)
        self.ready = []

    def next(self):
        if not self.ready:
            self.fill()
        return self.ready.pop()

    def fill(self):
        samples, total = [], 0
        while total < 48 * MICRO_TOKENS:
            kind = min(self.shares, key=lambda name: self.spent[name] / self.shares[name])
            ids, weights = draw(kind, self.split, self.rng, self.tokenizer, self.longest)
            self.spent[kind] += len(ids)
            total += len(ids)
            samples.append((ids, weights))
        samples.sort(key=lambda sample: len(sample[0]) + self.rng.random())
        batch, batches = [], []
        for sample in samples:
            if batch and (len(batch) + 1) * len(sample[0]) > MICRO_TOKENS:
                batches.append(batch)
                batch = []
            batch.append(sample)
        batches.append(batch)
        self.rng.shuffle(batches)
        self.ready = [self.tensors(batch) for batch in batches]

    def tensors(self, batch):
        size = max(len(ids) for ids, _ in batch) - 1
        ids = torch.zeros(len(batch), size, dtype=torch.long)
        targets = torch.zeros(len(batch), size, dtype=torch.long)
        weights = torch.zeros(len(batch), size)
        for row, (tokens, own) in enumerate(batch):
            last = len(tokens) - 1
            ids[row, :last] = torch.tensor(tokens[:-1])
            targets[row, :last] = torch.tensor(tokens[1:])
            weights[row, :last] = torch.tensor(own[1:])
        return ids, targets, weights


def optimizers(model: Qwen3):
    hidden = [weight for name, weight in model.named_parameters() if weight.ndim == 2 and "embedding" not in name]
    known = {id(weight) for weight in hidden}
    others = [weight for weight in model.parameters() if id(weight) not in known]
    return Muon(hidden, MUON_LR, weight_decay=WEIGHT_DECAY), torch.optim.AdamW(others, ADAM_LR, betas=(0.9, 0.98), weight_decay=0.0)


def save(path: str, state: dict) -> None:
    """A reader never sees half a file."""
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def train(args) -> None:
    torch.manual_seed(SEED)
    # Without it the same three steps gave other weights each time.
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(args.threads)
    tokenizer = Tokenizer.load(os.path.join(args.state, "vocabulary.json"))
    path = os.path.join(args.state, args.name + ".pt")
    start = path if os.path.exists(path) else args.start
    step, tokens, run, first = 0, 0, 0, 0
    is_new = start is None or not os.path.exists(start)
    state = {} if is_new else torch.load(start, weights_only=True)
    model = Qwen3(Config(**state.get("config", {"vocab": len(tokenizer.texts)})))
    muon, adam = optimizers(model)
    if is_new:
        write_induction(model, tokenizer.small)
    else:
        model.load_state_dict(state["model"])
        muon.load_state_dict(state["muon"])
        adam.load_state_dict(state["adam"])
        step, tokens, run = state["step"], state["tokens"], state["run"] + 1
        first = state["first"] if start == path else step
        if start != path:
            strengthen(model, args.copy_gain)
    kept = [(model.get_parameter(name), mask) for name, mask in frozen(model).items()]
    feed = Feed(tokenizer, SEED + 1000 * run, args.phase, args.longest)
    if not args.eager:
        model.trunk = torch.compile(model.trunk, dynamic=True)
    log = open(os.path.join(args.state, "log.txt"), "a", encoding="utf-8")
    stops = []
    signal.signal(signal.SIGTERM, lambda *_: stops.append(True))
    began, saved = time.time(), time.time()
    recent, recent_tokens, recent_time = 0.0, 0, time.time()
    for step in itertools.count(step):
        spent = (step - first) / args.steps if args.steps else (time.time() - began) / 60 / args.minutes
        if spent >= 1 or stops:
            break
        scale = min(1.0, (step + 1) / 50) * (1 + (args.decay_to - 1) * spent)
        muon.param_groups[0]["lr"], adam.param_groups[0]["lr"] = MUON_LR * scale * args.lr, ADAM_LR * scale * args.lr
        total_loss, total_weight = 0.0, 0.0
        for _ in range(MICRO_BATCHES):
            ids, targets, weights = feed.next()
            loss, weight = model.loss(ids, targets, weights)
            loss.backward()
            total_loss += loss.item()
            total_weight += weight.item()
            tokens += int((weights > 0).sum()) + int((ids[weights == 0] > 0).sum())
            recent_tokens += ids.numel()
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad /= total_weight
        for weight, mask in kept:
            weight.grad.masked_fill_(mask, 0)
        torch.nn.utils.clip_grad_norm_(adam.param_groups[0]["params"], 1.0)
        before = [weight.detach().clone() for weight, _ in kept]
        muon.step()
        adam.step()
        for (weight, mask), value in zip(kept, before):
            weight.data.copy_(torch.where(mask, value, weight.data))
        keep_length(model.embedding.weight)
        if step % 20 == 0:
            level(model, ids)
        model.zero_grad(set_to_none=True)
        recent += total_loss / total_weight
        if step % 20 == 19:
            elapsed = time.time() - recent_time
            log.write(f"{args.name} {args.phase} step {step + 1} loss {recent / 20:.4f} tokens {tokens / 1e6:.2f}M {recent_tokens / elapsed:.0f}/s {(time.time() - began) / 60:.1f}min\n")
            log.flush()
            recent, recent_tokens, recent_time = 0.0, 0, time.time()
        if time.time() - saved > 150:
            saved = time.time()
            save(path, snapshot(model, muon, adam, step + 1, tokens, run, first))
    save(path, snapshot(model, muon, adam, step, tokens, run, first))
    if args.finished and not stops:
        save(args.finished, snapshot(model, muon, adam, step, tokens, run, first))


def snapshot(model, muon, adam, step, tokens, run, first) -> dict:
    """`first` is the step that this phase began at; `run` counts starts, so that a resumed feed draws new samples."""
    return {
        "config": model.config.as_dict(), "model": model.state_dict(), "muon": muon.state_dict(),
        "adam": adam.state_dict(), "step": step, "tokens": tokens, "run": run, "first": first,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", required=True)
    parser.add_argument("--name", default="checkpoint", help="checkpoint to write, and to go on from")
    parser.add_argument("--start", help="checkpoint to begin from instead")
    parser.add_argument("--finished", help="written when the phase is done")
    parser.add_argument("--phase", choices=SHARES, default="late")
    parser.add_argument("--steps", type=int, help="stop after so many; repeatable, where --minutes is not")
    parser.add_argument("--minutes", type=float, default=600)
    parser.add_argument("--decay-to", type=float, default=1.0, help="part of the learning rate that is left at the end")
    parser.add_argument("--lr", type=float, default=1.0, help="factor on the learning rates")
    parser.add_argument("--copy-gain", type=float, default=1.0, help="factor on the longest match's weights, as the phase begins")
    parser.add_argument("--longest", type=int, default=960, help="tokens of the longest sample")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--eager", action="store_true", help="without torch.compile")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
