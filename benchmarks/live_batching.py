#!/usr/bin/env python3
"""Batches, live: the same requests with and without batches, where the policy asks for them (`clockwork`).

    live_batching.py path/to/fairlead [--seconds 15] [--network squeezenet1-1] [--cores 0] [--batches 1,2,4,8] [-o json]

Measures how long the network takes on a core, then sends 0.7, 1.0 and 1.3 times as many requests as that allows one at a
time, with deadlines of 25 times that, and serves them once with networks loaded for one request at a time and once for batches too.
Says what share came in time, and in what batches they ran (as the server's statistics have it).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from live_promises import Server, alone

SCENARIO = """name: batching
platform: {{accelerators: [{{kind: cpu, count: {count}, units: 1, cores: [{cores}]}}]}}
networks: {{segments: blocks, layers_per_block: 10, batches: [{batches}]}}
policies: [clockwork]
horizon: {seconds}s
tenants:
  - {{name: quiet, networks: [{network}], rate: {rate:.2f}/s, deadline: {deadline:.0f}us, target: 90%}}
serve: {{http: 0, anonymous: true}}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=15)
    parser.add_argument("--network", default="squeezenet1-1")
    parser.add_argument("--cores", default=str(max(os.sched_getaffinity(0))))
    parser.add_argument("--batches", default="1,2,4,8")
    parser.add_argument("-o", "--output", choices=("table", "json"), default="table")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        scenario = str(Path(folder) / "batching.yaml")

        def write(**values):
            Path(scenario).write_text(SCENARIO.format(cores=options.cores, count=len(options.cores.split(",")),
                                                      seconds=options.seconds, network=options.network, **values),
                                      encoding="utf-8")

        write(batches="1", rate=1, deadline=10e6)
        latency = alone(program, scenario, options.network)
        capacity = len(options.cores.split(",")) / latency
        for load in (0.7, 1.0, 1.3):
            for batches in ("1", options.batches):
                write(batches=batches, rate=load * capacity, deadline=25e6 * latency)
                with Server(program, scenario) as server:
                    run = subprocess.run([program, "load", scenario, "--url", server.url, "-o", "json"], check=True,
                                         capture_output=True, text=True)
                    with urllib.request.urlopen(f"{server.url}/v2/models/{options.network}/stats") as reply:
                        stats = json.load(reply)["model_stats"][0]["batch_stats"]
                agreement, = json.loads(run.stdout)["agreements"]
                rows.append({"load": load, "batches": batches, "requests": agreement["requests"],
                             "hit_rate": agreement["hit_rate"], "p50_ms": agreement["p50_ms"],
                             "p99_ms": agreement["p99_ms"],
                             "ran": {one["batch_size"]: one["compute_infer"]["count"] for one in stats}})
    if options.output == "json":
        print(json.dumps({"alone_ms": 1e3 * latency, "rows": rows}, indent=2))
        return
    print(f"{options.network} takes {1e3 * latency:.2f} ms alone on a core")
    print(f"{'load':>5} {'batches':<10}{'requests':>9}{'hits %':>8}{'p50 ms':>9}{'p99 ms':>9}  executions by batch")
    for row in rows:
        ran = ", ".join(f"{size}: {count}" for size, count in sorted(row["ran"].items()))
        print(f"{row['load']:>5} {row['batches']:<10}{row['requests']:>9}{100 * (row['hit_rate'] or 0):>8.1f}"
              f"{row['p50_ms']:>9.1f}{row['p99_ms']:>9.1f}  {ran}")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
