"""Fairlead from Python: simulate scenarios, write policies, train them.

    import fairlead

    result = fairlead.simulate("scenarios/fairness.yaml", policies=["edf-h", "fairlead"])
    for run in result["runs"]:
        print(run["policy"], run["hit_rate"])

A policy of your own is a class with `decide(view, plan)`; hand it in beside the others. Environments
for reinforcement learning are in `fairlead.gym`. docs/guide/python.md tells all of it.
"""

import json as _json
import os as _os
import warnings as _warnings

from fairlead import _core
from fairlead._core import World
from fairlead._errors import FairleadError, InputError, RunError

__all__ = ["FairleadError", "InputError", "Policy", "RunError", "World", "load", "policies", "share_folder",
           "simulate", "table"]
__version__ = _core.__version__

# Scenarios and data that came with the package: share_folder/scenarios/fairness.yaml.
share_folder = _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "share")
_core.set_share_folder(share_folder)


class Policy:
    """A base for policies, for those who like one; any object with `decide` will do.

    name: what results call it; the class's name unless set.
    """

    name = None

    def begin(self, seed):
        """A run begins. An object that is run several times starts afresh here."""

    def decide(self, view, plan):
        """Called after everything that happened at an instant; what the plan does not mention waits."""
        raise NotImplementedError("a policy needs decide(view, plan)")


def load(scenario, set=None, requests=None):
    """Reads a scenario: a path, the text as a dict, or a World, which is handed back.

    set: {key: value}, in the place of what the scenario says, like `--set` of the program.
    requests: a file of requests, instead of those that the tenants ask for.
    """
    if isinstance(scenario, World):
        if set or requests:
            raise TypeError("a World is read already: give set and requests when you load it")
        return scenario
    settings = [(str(key), _as_yaml(value)) for key, value in (set or {}).items()]
    requests = "" if requests is None else _os.fspath(requests)
    if isinstance(scenario, dict):
        world = _core.load("scenario", _json.dumps(scenario), settings, requests)
    else:
        world = _core.load(_os.fspath(scenario), None, settings, requests)
    for warning in world.warnings:
        _warnings.warn(warning, stacklevel=3)
    return world


def simulate(scenario, policies=None, seeds=1, *, seed=None, set=None, requests=None, require=(), jobs=0,
             bounds=True, outcomes=None, trace=None, record=None):
    """Runs a scenario under policies, and returns what `fairlead simulate -o json` prints, as objects.

    policies: one or a list of names with options ("edf-h:drop=early"), of files (./mine.so), of classes
        with `decide(view, plan)`, of which each run makes a new object, or of such objects. None: those
        of the scenario, or all.
    seeds: how many, from `seed` (the scenario's unless given) on; or a list of them.
    set, requests: as in `load`.
    require: what must come out, such as "worst>=60%"; see result["objectives"].
    jobs: how many runs of built-in policies go on side by side; 0: one for each core.
    bounds: whether to compute the fluid bounds.
    outcomes, trace, record: files that the only run writes (CSV, Perfetto JSON, a recording for
        `fairlead why` and `fairlead replay`).
    """
    return _simulate(scenario, policies, seeds, seed=seed, set=set, requests=requests, require=require,
                     jobs=jobs, bounds=bounds, outcomes=outcomes, trace=trace, record=record)[0]


def table(scenario, policies=None, seeds=1, **options):
    """As `simulate`, but the table that the program prints."""
    return _simulate(scenario, policies, seeds, **options)[1]


def policies():
    """The built-in policies: {name: {"description", "options": {name: {"description", "values", "default"}}}}."""
    return {name: {"description": description,
                   "options": {option: {"description": sentence, "values": values, "default": default or None}
                               for option, sentence, values, default in options}}
            for name, description, options in _core.policies()}


def _simulate(scenario, policies=None, seeds=1, *, seed=None, set=None, requests=None, require=(), jobs=0,
              bounds=True, outcomes=None, trace=None, record=None):
    world = load(scenario, set=set, requests=requests)
    chosen = _choose(world, policies)
    first = world.seed if seed is None else _seed(seed)
    if isinstance(seeds, int):
        if seeds < 1:
            raise InputError(f"seeds={seeds}: at least one")
        seeds = [first + i for i in range(seeds)]
    elif seed is not None:
        raise TypeError("seed goes with a number of seeds; a list of seeds says which")
    seeds = [_seed(one) for one in seeds]
    if not seeds:
        raise InputError("seeds: at least one")
    files = ["" if path is None else _os.fspath(path) for path in (outcomes, trace, record)]
    if any(files) and len(chosen) * len(seeds) > 1:
        raise InputError(f"outcomes, trace and record take the file of one run; these are {len(chosen) * len(seeds)}")
    require = [require] if isinstance(require, str) else list(require)
    text, shown = _core.simulate(world, chosen, seeds, require, jobs, bounds, files)
    return _json.loads(text), shown


def _seed(seed):
    seed = int(seed)
    if not 0 <= seed < 2**64:
        raise InputError(f"seed {seed}: expected 0 to 2^64-1")
    return seed


def _as_yaml(value):
    return value if isinstance(value, str) else _json.dumps(value)


def _choose(world, policies):
    """[(name, maker)]; a maker is called with the seed of each run, and None for built-in policies."""
    if policies is None:
        return [(name, None) for name in _core.expand_policies(world, "")]
    if isinstance(policies, str) or not isinstance(policies, (list, tuple)):
        policies = [policies]
    chosen = []
    for policy in policies:
        if isinstance(policy, str):
            chosen += [(name, None) for name in _core.expand_policies(world, policy)]
        else:
            chosen.append((_name(policy), _maker(policy)))
    names = [name for name, _ in chosen]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"policy {name} stands twice: give one of them another name")
    if not chosen:
        raise InputError("no policy")
    return chosen


def _name(policy):
    name = getattr(policy, "name", None)
    if name is None:
        name = policy.__name__ if isinstance(policy, type) else type(policy).__name__
    if not isinstance(name, str) or not name or any(c in name for c in ",\n"):
        raise InputError(f"{policy!r}: a policy's name is a text without commas, not {name!r}")
    if name.split(":")[0] in _core_names():
        raise InputError(f"policy {name} is built in: set another name in your class")
    return name


def _core_names():
    return {name for name, _, _ in _core.policies()}


def _maker(policy):
    if not any(callable(getattr(policy, does, None)) for does in ("decide", "act")):
        raise InputError(f"{policy!r} is no policy: it has no decide(view, plan)")

    def make(seed):
        made = policy() if isinstance(policy, type) else policy
        begin = getattr(made, "begin", None)
        if begin is not None:
            begin(seed)
        return made

    return make
