#!/usr/bin/env python3
"""Promises, live: two tenants on two cores of this machine; one floods at five times its contract.

    live_promises.py path/to/fairlead [--seconds 20] [--network resnet50] [--cores 0,1] [-o json]

First it measures how long the network takes on a core, then serves the scenario five times and calls it with
`fairlead load`: under `fairlead` with the flooder's contract enforced (`over: refuse`), with it as a matter of order alone
(`over: serve`), and without any contract; under `fcfs-h` with `over: serve` and without any. The quiet tenant must keep 99 % of
its deadlines in the first three, and must not in the last; the flooder must be refused in the first, and in none else.
Exits with 1 where that is not so. Leave the machine alone meanwhile; a core beside the two is for the server's front door
and the sender.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

SCENARIO = """name: promises
platform: {{accelerators: [{{kind: cpu, count: 2, units: 1, cores: [{cores}]}}]}}
networks: {{segments: blocks, layers_per_block: 5}}
policies: [{policy}]
horizon: {seconds}s
tenants:
  - {{name: flooder, networks: [{network}], rate: {flood:.2f}/s, deadline: {deadline:.0f}us, target: 90%{flooder_contract}}}
  - {{name: quiet, networks: [{network}], rate: {quiet:.2f}/s, deadline: {deadline:.0f}us, target: 99%{quiet_contract}}}
serve: {{http: 0, anonymous: true}}
"""

ROWS = [  # policy, contract, the quiet tenant's deadlines are kept, the flooder is refused
    ("fairlead", "refuse", True, True),
    ("fairlead", "serve", True, False),
    ("fairlead", "none", True, False),
    ("fcfs-h", "serve", None, False),
    ("fcfs-h", "none", False, False),
]


class Server:
    def __init__(self, program, scenario):
        self.process = subprocess.Popen([program, "serve", scenario], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if " at " not in line:
            sys.exit("the server did not start")
        self.url = line.split(" at ")[1].split(" ")[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()


def alone(program, scenario, network):
    """How long one request takes on a core, in seconds: the median of a hundred in a row."""
    with Server(program, scenario) as server:
        with urllib.request.urlopen(f"{server.url}/v2/models/{network}") as reply:
            shape = json.load(reply)["inputs"][0]["shape"]
        size = 4
        for extent in shape:
            size *= max(extent, 1)
        times = []
        for _ in range(100):
            request = urllib.request.Request(f"{server.url}/v2/models/{network}/infer", data=bytes(size),
                                             headers={"Inference-Header-Content-Length": "0",
                                                      "Fairlead-Tenant": "quiet"})
            begin = time.monotonic()
            urllib.request.urlopen(request).read()
            times.append(time.monotonic() - begin)
        return sorted(times)[50]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--network", default="resnet50")
    parser.add_argument("--cores", default=",".join(map(str, sorted(os.sched_getaffinity(0))[-2:])))
    parser.add_argument("-o", "--output", choices=("table", "json"), default="table")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        scenario = str(Path(folder) / "promises.yaml")

        def write(**values):
            Path(scenario).write_text(SCENARIO.format(cores=options.cores, seconds=options.seconds,
                                                      network=options.network, **values), encoding="utf-8")

        write(policy="fcfs-h", flood=1, quiet=1, deadline=10e6, flooder_contract="", quiet_contract="")
        latency = alone(program, scenario, options.network)
        capacity = 2 / latency
        contract = 0.3 * capacity
        bucket = max(2, round(contract))  # so that the quiet tenant is within its contract
        results = []
        for policy, over, kept, refused in ROWS:
            flooder = quiet = ""
            if over != "none":
                flooder = f", contract: {{rate: {contract:.2f}/s, burst: {bucket}, over: {over}}}"
                quiet = f", contract: {{rate: {contract:.2f}/s, burst: {bucket}, over: {over}}}"
            write(policy=policy, flood=5 * contract, quiet=0.5 * contract, deadline=15e6 * latency,
                  flooder_contract=flooder, quiet_contract=quiet)
            with Server(program, scenario) as server:
                run = subprocess.run([program, "load", scenario, "--url", server.url, "-o", "json"],
                                     check=True, capture_output=True, text=True)
            figures = json.loads(run.stdout)
            by_tenant = {row["tenant"]: row for row in figures["agreements"]}
            rate = by_tenant["quiet"]["hit_rate"]
            over_contract = by_tenant["flooder"]["over_contract"]
            good = (kept is None or (rate >= 0.99) == kept) and (over_contract > 0) == refused
            results.append({"policy": policy, "contract": over, "quiet": by_tenant["quiet"],
                            "flooder": by_tenant["flooder"], "lag_ms": figures["lag_ms"],
                            "expected": {"kept": kept, "refused": refused}, "as_expected": good})
    report(options, latency, contract, results)
    sys.exit(0 if all(row["as_expected"] for row in results) else 1)


def report(options, latency, contract, results):
    if options.output == "json":
        print(json.dumps({"alone_ms": 1e3 * latency, "contract_per_s": contract, "rows": results}, indent=2))
        return
    print(f"{options.network} takes {1e3 * latency:.2f} ms on a core; contracts are for {contract:.1f}/s each, the "
          f"flooder sends five times that, the quiet tenant half; deadlines are {15e3 * latency:.0f} ms")
    print(f"{'policy':<10}{'contract':<10}{'quiet: hits %':>14}{'(95 %)':>15}{'p99 ms':>9}"
          f"{'flooder: hits %':>17}{'429':>7}{'of':>7}  {'sent late, p99 ms':>17}")
    for row in results:
        quiet, flooder = row["quiet"], row["flooder"]
        low, high = quiet["hit_rate_interval"]
        print(f"{row['policy']:<10}{row['contract']:<10}{100 * quiet['hit_rate']:>14.2f}"
              f"{100 * low:>9.1f}-{100 * high:.1f}{quiet['p99_ms']:>9.1f}{100 * (flooder['hit_rate'] or 0):>17.1f}"
              f"{flooder['over_contract']:>7}{flooder['requests']:>7}  {row['lag_ms']['p99']:>17.1f}"
              f"{'' if row['as_expected'] else '   NOT AS PROMISED'}")


if __name__ == "__main__":
    main()
