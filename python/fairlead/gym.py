"""Scenarios as environments for reinforcement learning, in Gymnasium's words.

    from fairlead.gym import FairleadEnv

    env = FairleadEnv("scenarios/fairness.yaml", set={"horizon": "2s", "warm_up": "0s"})
    observation, info = env.reset(seed=1)
    while True:
        action = env.action_space.sample()
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break

One step is one decision at which something can start. `FairleadVectorEnv` has many environments in one, and is what
learners want: one call steps all of them in C++. Both derive from Gymnasium's classes where that is installed, and
from equal stand-ins where not. docs/guide/python.md explains observations, actions and rewards.
"""

import numpy as np

import fairlead
from fairlead import _core

try:
    import gymnasium
    from gymnasium import Env, spaces
    from gymnasium.utils.seeding import np_random as _np_random
    from gymnasium.vector import VectorEnv
except ImportError:
    gymnasium = None
    from fairlead._standins import Env, VectorEnv, spaces
    from fairlead._standins import np_random as _np_random

__all__ = ["Agent", "FairleadEnv", "FairleadVectorEnv"]

_ID, _ENTRY_POINTS = "Fairlead-v0", {"entry_point": "fairlead.gym:FairleadEnv",
                                     "vector_entry_point": "fairlead.gym:FairleadVectorEnv"}
BOUND = 3.0  # of the numbers of an observation
# Seeds of runs are drawn from here on: below are those that results are reported and tuned on.
_FIRST_SEED, _LAST_SEED = 1_000, 2**62


def _observation_space(environments, batch=()):
    limit, width = environments.limit, environments.width
    return spaces.Dict({
        "system": spaces.Box(-BOUND, BOUND, (*batch, _core.SYSTEM_FEATURES), np.float32),
        "segments": spaces.Box(-BOUND, BOUND, (*batch, limit, width), np.float32),
        # Many binary spaces side by side are a box to Gymnasium (batch_space).
        "mask": spaces.Box(0, 1, (*batch, limit), np.int8) if batch else spaces.MultiBinary(limit),
    })


def _action_space(environments, batch=()):
    return spaces.Box(-1.0, 1.0, (*batch, environments.limit, _core.ACTIONS_PER_ROW), np.float32)


def _run_seed(generator, options):
    if options and "run_seed" in options:
        return fairlead._seed(options["run_seed"])
    return int(generator.integers(_FIRST_SEED, _LAST_SEED))


def _make(kind, arguments):
    return kind(**arguments)


def _check_actions(actions, space):
    actions = np.asarray(actions, dtype=np.float32)
    if actions.shape != space.shape:
        raise ValueError(f"an action has the shape {space.shape}, not {actions.shape}")
    return actions


def _check_options(options):
    unknown = set(options or ()) - {"run_seed"}
    if unknown:
        raise fairlead.InputError(f"options: unknown {', '.join(sorted(map(str, unknown)))}; expected run_seed")


class FairleadEnv(Env):
    """One run of a scenario after the other.

    scenario, set, requests: as in `fairlead.load`.
    aware: whether segments show what their agreement was promised and got.
    rows: how many ready segments are shown, those with least slack; the rest waits.
    reward: "indicators" (weighs ends by how far the agreement is below its target) or "hits" (+1, -1).
    step: the distance below target that doubles the weight. tau: over which time rewards are discounted inside
        one step; info["discount"] is what the next one is worth.
    max_steps: after so many an episode is truncated; None: it lasts until every request has ended.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 10}

    def __init__(self, scenario="scenarios/fairness.yaml", *, set=None, requests=None, aware=True, rows=64,
                 reward="indicators", step=0.1, tau="200ms", max_steps=None, render_mode=None):
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise fairlead.InputError(f"render_mode: expected None or 'ansi', not {render_mode!r}")
        self.render_mode = render_mode
        self.max_steps = max_steps
        self._arguments = {"scenario": scenario, "set": set, "requests": requests, "aware": aware, "rows": rows,
                           "reward": reward, "step": step, "tau": tau, "max_steps": max_steps}
        self.world = fairlead.load(scenario, set=set, requests=requests)
        self._environments = _core.Environments(self.world, 1, 1, aware, rows, reward, step, tau)
        self.observation_space = _observation_space(self._environments)
        self.action_space = _action_space(self._environments)
        self._steps = 0
        self._last = None
        if gymnasium is not None:
            self.spec = gymnasium.envs.registration.EnvSpec(_ID, **_ENTRY_POINTS, kwargs=dict(self._arguments))

    def __reduce__(self):
        """A copy is a new environment of the same kind, which has not begun (as with Gymnasium's EzPickle)."""
        return _make, (type(self), {**self._arguments, "render_mode": self.render_mode})

    def reset(self, *, seed=None, options=None):
        """Begins a run. options={"run_seed": 7} names the run's seed, as `fairlead simulate --seed` does."""
        super().reset(seed=seed)
        _check_options(options)
        run_seed = _run_seed(self.np_random, options)
        self._steps = 0
        told = self._told(self._environments.reset([0], [run_seed]))
        return told[0], {**told[-1], "run_seed": run_seed}

    def step(self, action):
        if self._last is None:
            raise fairlead.RunError("call reset before step")
        action = _check_actions(action, self.action_space)
        observation, reward, terminated, info = self._told(self._environments.step(action))
        self._steps += 1
        truncated = self.max_steps is not None and self._steps >= self.max_steps and not terminated
        return observation, reward, terminated, truncated, info

    def agreements(self):
        """Of each agreement: (tenant, network, target, hits, ended) so far, after the warm-up."""
        return self._environments.agreements(0)

    def render(self):
        if self.render_mode is None or self._last is None:
            return None
        observation, info = self._last
        return (f"{info['time']:.6f} s: {int(observation['mask'].sum())} ready segments shown, "
                f"{info['hits']} of {info['ended']} requests in time\n")

    def _told(self, arrays):
        system, segments, mask, rewards, discounts, seconds, over = arrays
        observation = {"system": system[0], "segments": segments[0], "mask": mask[0]}
        info = {**self._environments.told(0), "discount": float(discounts[0]), "elapsed": float(seconds[0])}
        self._last = observation, info
        return observation, float(rewards[0]), bool(over[0]), info


class FairleadVectorEnv(VectorEnv):
    """Many runs of a scenario side by side; one call steps them all.

    num_envs: how many. threads: that step them; one is fastest unless there are hundreds of environments. The others
    are those of FairleadEnv; environment i with seed s is FairleadEnv with seed s + i.

    After an episode has ended the next step begins a new one instead of acting: its reward is 0 (Gymnasium's
    AutoresetMode.NEXT_STEP).
    """

    metadata = {"render_modes": []}
    render_mode = None
    spec = None
    closed = False

    def __init__(self, num_envs, scenario="scenarios/fairness.yaml", *, threads=1, set=None, requests=None, aware=True,
                 rows=64, reward="indicators", step=0.1, tau="200ms", max_steps=None):
        self.num_envs = num_envs
        self.is_vector_env = True
        self.max_steps = max_steps
        self._arguments = {"num_envs": num_envs, "scenario": scenario, "threads": threads, "set": set,
                           "requests": requests, "aware": aware, "rows": rows, "reward": reward, "step": step,
                           "tau": tau, "max_steps": max_steps}
        self.world = fairlead.load(scenario, set=set, requests=requests)
        self._environments = _core.Environments(self.world, num_envs, threads, aware, rows, reward, step, tau)
        self.single_observation_space = _observation_space(self._environments)
        self.single_action_space = _action_space(self._environments)
        self.observation_space = _observation_space(self._environments, (num_envs,))
        self.action_space = _action_space(self._environments, (num_envs,))
        self._generators = None
        self._ended = np.zeros(num_envs, dtype=bool)
        self._steps = np.zeros(num_envs, dtype=np.int64)

    def __reduce__(self):
        return _make, (type(self), self._arguments)

    def reset(self, *, seed=None, options=None):
        """seed: of the first environment (the others have the next ones), or a list of seeds."""
        _check_options(options)
        if seed is not None or self._generators is None:
            seeds = [None] * self.num_envs if seed is None else (
                [int(seed) + i for i in range(self.num_envs)] if np.isscalar(seed) else
                [None if one is None else int(one) for one in seed])
            if len(seeds) != self.num_envs:
                raise ValueError(f"{len(seeds)} seeds for {self.num_envs} environments")
            self._generators, self._seeds = zip(*(_np_random(one) for one in seeds))
            self._np_random, self._np_random_seed = self._generators[0], self._seeds[0]
        self._ended[:] = False
        self._steps[:] = 0
        arrays = self._begin(range(self.num_envs), options)
        return self._observation(arrays), self._info(arrays)

    def step(self, actions):
        if self._generators is None:
            raise fairlead.RunError("call reset before step")
        actions = _check_actions(actions, self.action_space)
        begin = np.flatnonzero(self._ended)
        if begin.size:  # where an episode was cut, the run below goes on: whatever is asked of it
            actions = actions.copy()
            actions[begin] = 0
        arrays = self._environments.step(actions)
        rewards, over = arrays[3], arrays[6]
        self._steps += 1
        if begin.size:
            again = self._begin(begin, None)
            for old, new in zip(arrays, again):
                old[begin] = new[begin]
            self._steps[begin] = 0
        truncated = np.zeros(self.num_envs, dtype=bool)
        if self.max_steps is not None:
            truncated = (self._steps >= self.max_steps) & ~over
        self._ended = over | truncated
        return self._observation(arrays), rewards, over, truncated, self._info(arrays)

    def told(self, i):
        """How far environment i is: {"time", "decisions", "hits", "ended"}."""
        return self._environments.told(i)

    def agreements(self, i):
        """Of each agreement of environment i: (tenant, network, target, hits, ended) so far."""
        return self._environments.agreements(i)

    def close(self, **_):
        self.closed = True

    def _begin(self, which, options):
        which = [int(i) for i in which]
        return self._environments.reset(which, [_run_seed(self._generators[i], options) for i in which])

    @staticmethod
    def _observation(arrays):
        return {"system": arrays[0], "segments": arrays[1], "mask": arrays[2]}

    @staticmethod
    def _info(arrays):
        return {"discount": arrays[4], "elapsed": arrays[5]}


if gymnasium is not None:
    try:
        from gymnasium.vector import AutoresetMode
        FairleadVectorEnv.metadata = {**FairleadVectorEnv.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}
    except ImportError:
        pass
    if _ID not in gymnasium.registry:
        gymnasium.register(_ID, **_ENTRY_POINTS)


class Agent:
    """A trained agent as a policy: hand it to `fairlead.simulate` beside the others.

    act: takes an observation as FairleadEnv makes them, but with as many rows as there are segments to show instead
        of a mask ("system", "segments"), and returns an action of one row for each.
    """

    def __init__(self, act, name="agent", aware=True, rows=64):
        self.act = act
        self.name = name
        self.aware = aware
        self.rows = rows
