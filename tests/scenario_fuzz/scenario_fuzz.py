#!/usr/bin/env python3
"""Draws scenarios from the whole grammar and holds every policy to the laws.

    scenario_fuzz.py path/to/fairlead [--seed 1] [--minutes 1] [--count N] [--live] [--memory GB]
                     [--keep FOLDER]

Draw number N of a seed is the same wherever it runs: `--seed 7 --first 123 --count 1` is one of them alone. What
breaks a law is made small, kept in FOLDER/NUMBER (scenario.yaml, its files, and README with the law and the command),
and told; the exit status is 1 then. --live runs the draws with `--live sleep` and interrupts them at random instants.

An hour by hand:

    tests/scenario_fuzz/scenario_fuzz.py build/fast/fairlead --seed $RANDOM --minutes 60 --keep findings
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from drawing import Drawing
from laws import Finding, Laws, Refused
from shrinking import shrink


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--memory", type=int, default=4, help="GB for the program; 0: no limit, for sanitizers")
    parser.add_argument("--keep", default="findings")
    return parser.parse_args()


def keep(folder, number, draw, finding, options):
    place = Path(folder) / f"{options.seed}-{number}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "scenario.yaml").write_text(draw.text(), encoding="utf-8")
    for name, text in draw.files.items():
        (place / name).write_text(text, encoding="utf-8")
    (place / "README").write_text(
        f"{finding}\n\nfairlead simulate scenario.yaml --policy '{','.join(draw.policies)}' --seed {draw.seed}\n",
        encoding="utf-8")
    return place


def main():
    options = parse()
    program = str(Path(options.program).resolve())
    registry = json.loads(subprocess.check_output([program, "policies", "-o", "json"]))
    end = time.monotonic() + 60 * options.minutes
    counts = Counter()
    with tempfile.TemporaryDirectory() as folder:
        laws = Laws(program, Path(folder), options.memory << 30)
        for number in range(options.first, options.first + options.count):
            if time.monotonic() > end:
                break
            source = random.Random(f"{options.seed}/{number}")
            draw = Drawing(source, registry).draw(options.live)
            instant = source.choice([None, source.random() * 0.4])

            def held_to(candidate, instant=instant):
                if options.live:
                    laws.check_live(candidate, 60 if instant is None else instant)
                else:
                    laws.check(candidate)

            try:
                held_to(draw)
                counts["held"] += 1
            except Refused:
                counts["refused"] += 1
            except Finding as finding:
                counts["found"] += 1
                law = finding.law

                def breaks(candidate):
                    try:
                        held_to(candidate)
                    except Finding as other:
                        return other.law == law
                    except (Refused, KeyError, ValueError, IndexError):
                        return False
                    return False

                slow = law == "it ends" or options.live  # too dear to make small here
                small = draw if slow else shrink(draw, breaks)
                place = keep(options.keep, number, small, finding, options)
                print(f"draw {number} of seed {options.seed}: {finding}\nkept in {place}", flush=True)
    print(f"{counts['held']} held to the laws, {counts['refused']} refused, {counts['found']} findings")
    if counts["held"] < counts["refused"]:
        print("most draws were refused: the drawing is wrong")
        return 1
    return 1 if counts["found"] else 0


if __name__ == "__main__":
    sys.exit(main())
