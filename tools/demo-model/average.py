"""Halfway between two checkpoints of one training: average.py --state FOLDER --names EARLIER LATER --name NAME.

Optimizers and counts are the later one's."""

import argparse
import os

import torch

from induction import keep_length
from model import Config, Qwen3
from train import save


def average(state_folder: str, earlier: str, later: str, name: str) -> None:
    one, state = (torch.load(os.path.join(state_folder, f"{which}.pt"), weights_only=True) for which in (earlier, later))
    model = Qwen3(Config(**state["config"]))
    model.load_state_dict({key: (weight + one["model"][key]) / 2 for key, weight in state["model"].items()})
    keep_length(model.embedding.weight)
    save(os.path.join(state_folder, name + ".pt"), {**state, "model": model.state_dict()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", required=True)
    parser.add_argument("--names", nargs=2, required=True)
    parser.add_argument("--name", required=True)
    args = parser.parse_args()
    average(args.state, *args.names, args.name)


if __name__ == "__main__":
    main()
