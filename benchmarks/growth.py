#!/usr/bin/env python3
"""How time and memory of a simulated run grow with its world, for every policy.

    benchmarks/growth.py build/release/fairlead [--axis tenants] [--policy edf-h,sjf] [--most 1e5] [--limit 300]

Along each axis the world grows tenfold or so from point to point, and nothing else does:

    tenants       10^2 to 10^5, with 40,000 requests in all, at 0.9 of what the machine can do
    accelerators  8 to 4,096, with 40,000 requests in all, at 1.1 of what they can do
    requests      10^4 to 10^7, of 100 tenants
    backlog       10^3 to 10^5 requests that arrive within an instant and cannot be served in time
    networks      10^2 to 5*10^4 in the profile, of 40,000 requests

Times are `wall_s` of the run, without reading and without bounds (the least of --repeat), memory is the most that
the program had. The exponent is the slope of the logarithms over the last three points (those above 10 ms): 1 is proportional. For
`networks`, which is about reading, and with --cpu the time is that of the whole program, bounds included. A policy is not asked for more once a
point takes longer than --limit seconds. The last lines name every exponent above 1.1.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

AXES = {
    "tenants": [100, 1_000, 10_000, 100_000],
    "accelerators": [8, 64, 512, 4_096],
    "requests": [10_000, 100_000, 1_000_000, 10_000_000],
    "backlog": [1_000, 10_000, 100_000],
    "networks": [100, 1_000, 10_000, 50_000],
}
TOTAL = 40_000  # requests, where their number does not grow
WORST = 1.1
SHORTEST = 0.01  # seconds, and MB: what is below is noise


def profile(networks=4):
    """Two kinds that suit different networks; three layers of 20 to 60 microseconds."""
    rows = ["network,layer,accelerator,latency_ns,dram_bytes,energy_pj"]
    for n in range(networks):
        for layer in range(3):
            for kind in range(2):
                latency = 20_000 * (1 + (n + layer + kind) % 3)
                rows.append(f"n{n},{layer},k{kind},{latency},{latency * 2},{latency}")
    return "\n".join(rows) + "\n"


def scenario(axis, value):
    """The text of a scenario, and how many networks its profile has."""
    tenants, accelerators, requests, networks, load = 100, 8, TOTAL, 4, 0.9
    if axis == "tenants":
        tenants = value
    elif axis == "accelerators":
        accelerators, load = value, 1.1
    elif axis in ("requests", "backlog"):
        requests = value
    else:
        networks = value
    rate = load * accelerators / 120e-6  # a request takes about 120 microseconds of one
    if axis == "backlog":
        rate *= 1e4
    horizon = int(1e9 * requests / rate)
    each = min(tenants, 100_000)
    return (f"horizon: {horizon}ns\nplatform: {{accelerators: [{{kind: k0, count: {accelerators // 2}}}, "
            f"{{kind: k1, count: {accelerators // 2}}}]}}\nnetworks: {{profile: profile.csv}}\n"
            "arrivals: {process: poisson}\ndeadlines: {factor: 4}\n"
            f"tenants: [{{name: t, count: {each}, networks: [n0, n1, n2, n3], networks_each: 1, "
            f"rate: {rate / each:.6f}/s, target: 80%}}]\n"), networks


def measure(program, folder, policy, limit, repeat):
    """Seconds of the run, of the program, and its memory in MB; None if it takes too long."""
    least = None
    for _ in range(repeat):
        with open(folder / "out.json", "w", encoding="utf-8") as out:
            process = subprocess.Popen([program, "simulate", "scenario.yaml", "--policy", policy, "-o", "json"],
                                       cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                return None
        if process.returncode != 0:
            return None
        run = json.loads((folder / "out.json").read_text(encoding="utf-8"))["runs"][0]
        if least is None or run["wall_s"] < least:
            least = run["wall_s"]
    return least


def peak(program, folder, policy):
    """Seconds of a processor and MB of the program, as the system counts them."""
    code = ("import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
            "u = resource.getrusage(resource.RUSAGE_CHILDREN)\nprint(u.ru_utime + u.ru_stime, u.ru_maxrss / 1024)")
    out = subprocess.check_output([sys.executable, "-c", code, program, "simulate", "scenario.yaml", "--policy",
                                   policy], cwd=folder, text=True)
    return map(float, out.split())


def exponent(points):
    last = [(math.log(x), math.log(y)) for x, y in points[-3:] if y > SHORTEST]
    if len(last) < 2:
        return None
    mean_x, mean_y = (sum(p[i] for p in last) / len(last) for i in (0, 1))
    return (sum((x - mean_x) * (y - mean_y) for x, y in last) / sum((x - mean_x) ** 2 for x, _ in last))


def show(number):
    return "     -" if number is None else f"{number:6.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--axis", help="one of " + ", ".join(AXES) + "; all unless given")
    parser.add_argument("--policy", help="all unless given")
    parser.add_argument("--most", type=float, default=math.inf, help="leave out larger points")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--cpu", action="store_true", help="processor time of the whole program: for busy machines")
    options = parser.parse_args()
    program = str(Path(options.program).resolve())
    policies = options.policy.split(",") if options.policy else [
        p["name"] for p in json.loads(subprocess.check_output([program, "policies", "-o", "json"]))
        if p["name"] != "fixed-plan"]
    above = []
    for axis in [options.axis] if options.axis else AXES:
        values = [value for value in AXES[axis] if value <= options.most]
        print(f"\n{axis}: seconds (MB) at {', '.join(f'{v:,}' for v in values)}; exponents of time and memory")
        for policy in policies if axis != "networks" else policies[:1]:
            times, memory, cells = [], [], []
            for value in values:
                with tempfile.TemporaryDirectory() as name:
                    folder = Path(name)
                    text, networks = scenario(axis, value)
                    (folder / "scenario.yaml").write_text(text, encoding="utf-8")
                    (folder / "profile.csv").write_text(profile(networks), encoding="utf-8")
                    seconds = measure(program, folder, policy, options.limit, options.repeat)
                    if seconds is None:
                        cells.append(f"over {options.limit:.0f} s")
                        break
                    whole, megabytes = peak(program, folder, policy)
                    if axis == "networks" or options.cpu:
                        seconds = whole
                    times.append((value, seconds))
                    memory.append((value, megabytes))
                    cells.append(f"{seconds:.3f} ({megabytes:.0f})")
            slopes = exponent(times), exponent(memory)
            print(f"{policy:<18}{show(slopes[0])}{show(slopes[1])}   {'  '.join(cells)}", flush=True)
            for what, slope in zip(("time", "memory"), slopes):
                if slope is not None and slope > WORST:
                    above.append(f"{what} of {policy} against {axis}: {slope:.2f}")
            if len(times) < len(values):
                above.append(f"time of {policy} against {axis}: over {options.limit:.0f} s at {values[len(times)]:,}")
    print("\nabove 1.1: " + ("; ".join(above) if above else "none"))


if __name__ == "__main__":
    main()
