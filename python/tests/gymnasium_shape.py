"""Gymnasium's names around our stand-ins, to try what `fairlead.gym` does where Gymnasium can be imported."""

import enum
import sys
from types import ModuleType

from fairlead import _standins


class EnvSpec:
    def __init__(self, id, entry_point=None, kwargs=None, nondeterministic=False, vector_entry_point=None):
        self.id, self.entry_point, self.kwargs, self.nondeterministic = id, entry_point, kwargs or {}, nondeterministic
        self.vector_entry_point = vector_entry_point

    def make(self, **more):
        module, name = self.entry_point.split(":")
        return getattr(sys.modules[module], name)(**{**self.kwargs, **more})


class AutoresetMode(enum.Enum):
    NEXT_STEP = "NextStep"


def install():
    """After this, `import gymnasium` finds it."""
    gymnasium = ModuleType("gymnasium")
    gymnasium.Env, gymnasium.spaces, gymnasium.registry = type("Env", (_standins.Env,), {}), _standins.spaces, {}
    gymnasium.register = lambda id, **spec: gymnasium.registry.update({id: EnvSpec(id, **spec)})
    sys.modules["gymnasium"] = gymnasium
    parts = {"utils": {}, "utils.seeding": {"np_random": _standins.np_random}, "envs": {},
             "envs.registration": {"EnvSpec": EnvSpec},
             "vector": {"VectorEnv": type("VectorEnv", (_standins.VectorEnv,), {}), "AutoresetMode": AutoresetMode}}
    for name, attributes in parts.items():
        module = ModuleType(f"gymnasium.{name}")
        vars(module).update(attributes)
        sys.modules[f"gymnasium.{name}"] = module
        parent, _, last = f"gymnasium.{name}".rpartition(".")
        setattr(sys.modules[parent], last, module)
    return gymnasium


def main():
    gymnasium = install()
    from environment_rules import check_environment
    from fairlead.gym import FairleadEnv, FairleadVectorEnv
    from support import BUSY
    assert issubclass(FairleadEnv, gymnasium.Env) and issubclass(FairleadVectorEnv, gymnasium.vector.VectorEnv)
    assert gymnasium.registry["Fairlead-v0"].vector_entry_point == "fairlead.gym:FairleadVectorEnv"
    assert FairleadVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env = FairleadEnv(BUSY, rows=7)
    again = env.spec.make(render_mode="ansi")
    assert again.observation_space == env.observation_space and again.render_mode == "ansi"
    assert FairleadEnv(env.world).spec.make().world is env.world
    check_environment(lambda mode: FairleadEnv(BUSY, render_mode=mode))
    print("kept")


if __name__ == "__main__":
    main()
