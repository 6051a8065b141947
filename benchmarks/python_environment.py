#!/usr/bin/env python3
"""Decisions per second through Python: environments alone and many in one, and policies written in Python.

    PYTHONPATH=build/python/python benchmarks/python_environment.py [--seconds 5]

Processor time is counted, so that a busy machine disturbs less; a decision of an environment is one at which something
can start. The actions are the same array every time: what a learner adds is its own.
"""

import argparse
import time

import fairlead
import numpy as np
from fairlead.gym import FairleadEnv, FairleadVectorEnv

SCENARIO = "scenarios/fairness.yaml"
SETTINGS = {"horizon": "2s", "warm_up": "0s"}


class EarliestDeadline:
    decisions = 0

    def decide(self, view, plan):
        EarliestDeadline.decisions += 1
        idle = [one for one in view.accelerators if one.idle]
        if not idle:
            return
        for ready in sorted(view.ready, key=lambda one: (one.deadline, one.request, one.segment)):
            best = min(idle, key=lambda one: view.latency(ready, one))
            plan.start(ready, best)
            idle.remove(best)
            if not idle:
                return


def rate(step, count, seconds):
    """Decisions per second of processor time, and of real time."""
    decisions, busy, real = 0, time.process_time(), time.monotonic()
    while time.process_time() - busy < seconds:
        step()
        decisions += count
    return decisions / (time.process_time() - busy), decisions / (time.monotonic() - real)


def tell(what, rates):
    print(f"{what:44} {rates[0]:10,.0f} {rates[1]:10,.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="of processor time for each row")
    options = parser.parse_args()
    print(f"{'decisions per second':44} {'processor':>10} {'real':>10}")
    env = FairleadEnv(SCENARIO, set=SETTINGS)
    env.reset(seed=1)
    action = np.zeros(env.action_space.shape, np.float32)

    def step_one():
        if any(env.step(action)[2:4]):
            env.reset()

    tell("FairleadEnv", rate(step_one, 1, options.seconds))
    for count, rows, threads in ((16, 64, 1), (64, 64, 1), (64, 16, 1), (64, 64, 2)):
        envs = FairleadVectorEnv(count, SCENARIO, set=SETTINGS, rows=rows, threads=threads)
        envs.reset(seed=1)
        actions = np.zeros(envs.action_space.shape, np.float32)
        tell(f"FairleadVectorEnv({count}, rows={rows}, threads={threads})",
             rate(lambda: envs.step(actions), count, options.seconds))
    busy, real = time.process_time(), time.monotonic()
    fairlead.simulate(SCENARIO, EarliestDeadline, set={**SETTINGS, "horizon": "1s"}, bounds=False)
    tell("a policy in Python, whole simulation", (EarliestDeadline.decisions / (time.process_time() - busy),
                                                  EarliestDeadline.decisions / (time.monotonic() - real)))


if __name__ == "__main__":
    main()
