#!/usr/bin/env python3
"""Trains a small agent on a scenario, and compares it with what it was before and with built-in policies.

    python3 python/examples/train_agent.py                    # a minute or two on one core
    python3 python/examples/train_agent.py --generations 3    # to see that it works

The agent is a network with one hidden layer, the same for every ready segment: from what is shown of a segment and of
the system to a priority and a score for each kind of accelerator. It learns by evolution strategies: in each
generation every environment plays a whole run with weights of its own, drawn around the current ones in pairs that
deviate in opposite directions and meet the same requests; the weights then move towards what did better. That needs no
gradient of the schedule, no discount and no critic, which makes it a good first thing to try.

Needs PyTorch (Debian: python3-torch).
"""

import argparse
import sys
import time

import fairlead
import numpy as np
import torch
from fairlead.gym import Agent, FairleadVectorEnv

# A busy stretch of the shipped fairness platform: more than can be done, so that order matters.
SETTINGS = {"horizon": "100ms", "warm_up": "0s", "load": 1.3}
ROWS = 24


class SmallNetwork:
    """Weights as one vector; the forward pass takes one vector for each environment."""

    def __init__(self, inputs, outputs, hidden=16):
        self.shapes = [(inputs, hidden), (hidden,), (hidden, outputs), (outputs,)]
        self.sizes = [int(np.prod(shape)) for shape in self.shapes]

    def start(self, generator):
        parts = [torch.randn(shape, generator=generator) * (0.3 / shape[0] ** 0.5 if len(shape) > 1 else 0.0)
                 for shape in self.shapes]
        return torch.cat([part.flatten() for part in parts])

    def __call__(self, weights, system, segments):
        """weights [n, parameters], system [n, s], segments [n, rows, f] -> actions [n, rows, outputs]."""
        n, rows, _ = segments.shape
        seen = torch.cat([segments, system[:, None, :].expand(n, rows, system.shape[1])], dim=2)
        first, first_bias, second, second_bias = (
            part.reshape(n, *shape) for part, shape in zip(weights.split(self.sizes, dim=1), self.shapes))
        hidden = torch.tanh(torch.bmm(seen, first) + first_bias[:, None, :])
        return torch.tanh(torch.bmm(hidden, second) + second_bias[:, None, :])


class Trainer:
    """One generation after the other; `weights` are the current ones."""

    def __init__(self, scenario="scenarios/fairness.yaml", set=None, pairs=12, rate=0.1, noise=0.1, aware=False,
                 reward="hits", seed=1, threads=1, hidden=16):
        self.settings = {**SETTINGS, **(set or {})}
        self.pairs, self.noise, self.aware = pairs, noise, aware
        self.envs = FairleadVectorEnv(2 * pairs, scenario, threads=threads, set=self.settings, aware=aware, rows=ROWS,
                                      reward=reward, tau="1h")
        space = self.envs.single_observation_space
        self.network = SmallNetwork(space["segments"].shape[1] + space["system"].shape[0],
                                    self.envs.single_action_space.shape[1], hidden)
        self.generator = torch.Generator().manual_seed(seed)
        self.weights = self.network.start(self.generator).requires_grad_()
        self.optimizer = torch.optim.Adam([self.weights], lr=rate)
        self.decisions = 0

    def play(self, weights, seeds):
        """The sum of rewards of one run in each environment, under weights and seeds of its own."""
        observation, _ = self.envs.reset(seed=seeds)
        total = np.zeros(len(seeds))
        ended = np.zeros(len(seeds), dtype=bool)
        while not ended.all():
            with torch.no_grad():
                actions = self.network(weights, torch.from_numpy(observation["system"]),
                                       torch.from_numpy(observation["segments"]))
            observation, rewards, over, _, _ = self.envs.step(actions.numpy())
            total += np.where(ended, 0.0, rewards)
            self.decisions += int((~ended).sum())
            ended |= over
        return total

    def generation(self, number):
        """Moves the weights once; returns the mean reward of those that were tried."""
        draws = torch.randn((self.pairs, len(self.weights)), generator=self.generator)
        tried = self.weights.detach() + self.noise * torch.cat([draws, -draws])
        # Both of a pair meet the same requests; each generation meets other ones.
        seeds = [number * self.pairs + i for i in range(self.pairs)] * 2
        rewards = self.play(tried, seeds)
        better = rewards[:self.pairs] - rewards[self.pairs:]
        better = torch.from_numpy(better / (better.std() + 1e-9)).float()
        self.optimizer.zero_grad()
        self.weights.grad = -(better[:, None] * draws).mean(dim=0)
        self.optimizer.step()
        return rewards.mean()

    def agent(self, name, weights=None):
        """The weights as a policy for fairlead.simulate."""
        fixed = (self.weights if weights is None else weights).detach().clone()[None, :]

        def act(seen):
            with torch.no_grad():
                return self.network(fixed, torch.from_numpy(seen["system"])[None],
                                    torch.from_numpy(seen["segments"])[None])[0].numpy()

        return Agent(act, name=name, aware=self.aware, rows=ROWS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenario", default="scenarios/fairness.yaml")
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=5, help="of the comparison at the end")
    options = parser.parse_args()
    torch.set_num_threads(1)
    trainer = Trainer(options.scenario)
    before = trainer.weights.detach().clone()
    begun = time.monotonic()
    for number in range(options.generations):
        reward = trainer.generation(number)
        took = time.monotonic() - begun
        print(f"generation {number + 1:3}: mean reward {reward:8.2f}, {trainer.decisions:,} decisions in {took:.0f} s",
              flush=True)
    agents = [trainer.agent("untrained", before), trainer.agent("trained")]
    result = fairlead.simulate(options.scenario, ["edf-h:drop=early", "sjf:drop=early", *agents], seeds=options.seeds,
                               set=trainer.settings, bounds=False)
    rates = {}
    for run in result["runs"]:
        rates.setdefault(run["policy"], []).append(run["hit_rate"])
    print(f"hit rates on {options.seeds} seeds that it was not trained on:")
    for policy, values in rates.items():
        print(f"  {policy:20} {100 * np.mean(values):5.1f} %")
    return 0 if np.mean(rates["trained"]) > np.mean(rates["untrained"]) else 1


if __name__ == "__main__":
    sys.exit(main())
