"""python3 -m fairlead simulate SCENARIO --policy edf-h,./mine.py: the program's verb, with policies in Python."""

import argparse
import importlib.util
import json
import os
import sys

import fairlead


def policies_of(file):
    """The policies of a Python file: its classes with `decide`, or the one named after a colon."""
    path, _, name = file.partition(":")
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if name:
        if not hasattr(module, name):
            raise fairlead.InputError(f"{path} has no {name}")
        return [getattr(module, name)]
    found = [thing for thing in vars(module).values()
             if isinstance(thing, type) and thing.__module__ == module.__name__ and hasattr(thing, "decide")]
    if not found:
        raise fairlead.InputError(f"{path} has no class with decide(view, plan)")
    return found


def is_python(policy):
    return policy.partition(":")[0].endswith(".py")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python3 -m fairlead", description="Fairlead, with policies in Python")
    parser.add_argument("--version", action="version", version=f"fairlead {fairlead.__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("simulate", help="run a scenario")
    verb.add_argument("scenario")
    verb.add_argument("--policy", help="names, ./mine.so, ./mine.py or ./mine.py:Class, with commas between them")
    verb.add_argument("--seed", type=int)
    verb.add_argument("--seeds", type=int, default=1)
    verb.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    verb.add_argument("--require", action="append", default=[])
    verb.add_argument("--record", metavar="FILE", help="for `fairlead why`")
    verb.add_argument("-o", dest="form", choices=["table", "json"], default="table")
    options = parser.parse_args(arguments)
    try:
        policies = None
        if options.policy:
            policies = []
            for policy in options.policy.split(","):
                policies += policies_of(policy) if is_python(policy) else [policy]
        settings = {}
        for setting in options.set:
            key, equals, value = setting.partition("=")
            if not equals:
                raise fairlead.InputError(f"--set {setting}: expected KEY=VALUE")
            settings[key] = value
        result, table = fairlead._simulate(options.scenario, policies, options.seeds, seed=options.seed,
                                           set=settings, require=options.require, record=options.record)
    except fairlead.InputError as error:
        print(error, file=sys.stderr)
        return 2
    except (fairlead.RunError, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    print(table if options.form == "table" else json.dumps(result, indent=2), end="")
    return 1 if any(one["met"] is False for one in result.get("objectives", [])) else 0


if __name__ == "__main__":
    sys.exit(main())
