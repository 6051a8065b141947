#!/usr/bin/env python3
"""A server under load for a while: its memory stays flat, and what was recorded replays decision for decision.

    soak.py path/to/fairlead [--minutes 10] [--rate 20] [--cores 1] [--scheme http|grpc]

Serves two tenants on the cores, one of which sends twice what its contract covers, calls them with `fairlead load`, looks
at the server's memory every few seconds, ends it with SIGTERM and replays its recording. Memory counts as flat where the
median of the last quarter of the run exceeds that of the second by no more than 2 % and 2 MB: in the first, pools fill up.
Exits with 1 where it is not, where the replay differs, or where the server says anything but that it drained.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCENARIO = """name: soak
platform: {{accelerators: [{{kind: cpu, count: {count}, units: 1, cores: [{cores}]}}]}}
networks: {{segments: blocks, layers_per_block: 5}}
policies: [fairlead]
horizon: {seconds}s
tenants:
  - {{name: ada, networks: [{network}], rate: {rate}/s, deadline: 1s, target: 90%}}
  - {{name: ben, networks: [{network}], rate: {rate}/s, deadline: 300ms, target: 80%,
     contract: {{rate: {half}/s, burst: 10, over: refuse}}, arrivals: {{process: pareto}}}}
serve: {{http: 0, grpc: 0, anonymous: true, store: soak.db}}
"""


def resident(pid):
    """Bytes."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) << 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=20, help="of each tenant, per second")
    parser.add_argument("--network", default="squeezenet1-1")
    parser.add_argument("--cores", default=str(max(os.sched_getaffinity(0))))
    parser.add_argument("--scheme", choices=("http", "grpc"), default="http")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "soak.yaml"
        scenario.write_text(SCENARIO.format(count=len(options.cores.split(",")), cores=options.cores,
                                            seconds=round(60 * options.minutes), network=options.network,
                                            rate=options.rate, half=options.rate / 2), encoding="utf-8")
        with open(Path(folder) / "errors", "wb") as errors:
            server = subprocess.Popen([program, "serve", str(scenario), "--record", f"{folder}/soak.rec", "--log",
                                       f"{folder}/events.log"], stdout=subprocess.PIPE, stderr=errors, text=True)
        urls = {}
        while len(urls) < 2:
            line = server.stdout.readline()
            if not line:
                sys.exit(Path(folder, "errors").read_text())
            if line.startswith("fairlead serves at"):
                urls["http"] = line.split(" at ")[1].split(" ")[0]
            if "over gRPC at" in line:
                urls["grpc"] = "grpc://" + line.split(" at ")[1].strip()
        load = subprocess.Popen([program, "load", str(scenario), "--url", urls[options.scheme], "-o", "json"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        samples = []
        while load.poll() is None:
            samples.append(resident(server.pid))
            time.sleep(min(2, options.minutes))
        figures = json.loads(load.communicate()[0])
        server.send_signal(signal.SIGTERM)
        server.communicate()
        said = [line for line in Path(folder, "errors").read_text().splitlines()
                if line != "drained" and not line.startswith(("loading networks", "The partitions take"))]
        size = Path(folder, "soak.rec").stat().st_size
        began = time.monotonic()
        replay = subprocess.run([program, "replay", f"{folder}/soak.rec"], capture_output=True, text=True)
        replayed = time.monotonic() - began
    quarter = max(1, len(samples) // 4)
    second = statistics.median(samples[quarter:2 * quarter] or samples)
    last = statistics.median(samples[-quarter:])
    for row in figures["agreements"]:
        print(f"{row['tenant']}: {row['requests']} requests, {100 * (row['hit_rate'] or 0):.1f} % hits, {row['reasons']}")
    flat = last <= 1.02 * second + (2 << 20)
    print(f"memory: {samples[0] / 1e6:.1f} MB at first, {second / 1e6:.1f} in the second quarter, {last / 1e6:.1f} in the "
          f"last, {max(samples) / 1e6:.1f} at most: {'flat' if flat else 'NOT FLAT'}")
    print(f"recording: {size / 1e6:.1f} MB, replayed in {replayed:.1f} s: "
          f"{'the same decisions' if replay.returncode == 0 else 'NOT THE SAME: ' + replay.stderr}")
    if server.returncode != 0 or said:
        print(f"the server ended with {server.returncode} and said {said}")
    sys.exit(0 if flat and replay.returncode == 0 and server.returncode == 0 and not said else 1)


if __name__ == "__main__":
    main()
