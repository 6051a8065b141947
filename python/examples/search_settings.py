#!/usr/bin/env python3
"""Searches how to train: learning rate, noise and width of train_agent.py, by Optuna, giving up bad trials early.

    python3 python/examples/search_settings.py --trials 20 --store search.db

Each trial trains an agent for some generations and reports after each how it does on tuning seeds; one that is below
the median of the earlier ones at the same point is pruned. With --store the search goes on where it stopped, and
several may work on it at once. The aware agent and the one that knows no promises get equal budgets: a search of its
own each (--aware).

Needs Optuna and PyTorch (Debian: python3-optuna, python3-torch).
"""

import argparse

import fairlead
import numpy as np
import optuna
import torch
from train_agent import Trainer

TUNING_SEEDS = [101, 102]  # apart from those that results are reported on


def hit_rate(trainer, scenario):
    result = fairlead.simulate(scenario, [trainer.agent("agent")], seeds=TUNING_SEEDS, set=trainer.settings,
                               bounds=False)
    return float(np.mean([run["hit_rate"] for run in result["runs"]]))


def objective(trial, options):
    trainer = Trainer(options.scenario, pairs=options.pairs, aware=options.aware,
                      reward="indicators" if options.aware else "hits",
                      rate=trial.suggest_float("rate", 0.01, 0.5, log=True),
                      noise=trial.suggest_float("noise", 0.02, 0.5, log=True),
                      hidden=trial.suggest_categorical("hidden", [4, 8, 16, 32]))
    best = 0.0
    for number in range(options.generations):
        trainer.generation(number)
        best = max(best, hit_rate(trainer, options.scenario))
        trial.report(best, number)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scenario", default="scenarios/fairness.yaml")
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--generations", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--aware", action="store_true")
    parser.add_argument("--store", help="a file for the search; without, it is forgotten at the end")
    options = parser.parse_args()
    torch.set_num_threads(1)
    study = optuna.create_study(
        study_name="aware" if options.aware else "unaware", direction="maximize",
        storage=f"sqlite:///{options.store}" if options.store else None, load_if_exists=True,
        sampler=optuna.samplers.TPESampler(seed=1),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4, n_warmup_steps=2))
    study.optimize(lambda trial: objective(trial, options), n_trials=options.trials)
    states = [trial.state.name.lower() for trial in study.trials]
    print(f"{states.count('complete')} trials complete, {states.count('pruned')} pruned")
    print(f"best: {100 * study.best_value:.1f} % of hits with {study.best_params}")


if __name__ == "__main__":
    main()
