#!/usr/bin/env python3
"""Networks side by side, simulated against really run: live_mixes.py FAIRLEAD PROFILE-FOLDER OUT [--horizon 4s] [NAME:LOAD:NETWORKS ...]

PROFILE-FOLDER is what `fairlead profile --random-layers N --mixes M` wrote on this machine. A slowdown model is learned from its
co-runs and mixes; then each mix is simulated with that model, with the shared bandwidth alone, and with nothing that slows, and
is run (`--live run`) unless OUT has its outcomes already. NETWORKS are one for each partition (`-`: idle), or `all:A,B` for
these anywhere. Compared are times from start to finish: medians of each network in each mix."""
import csv
import os
import statistics
import subprocess
import sys

MIXES = """m0:0.9:alexnet,vgg16,resnet50,mobilenet-v2 m1:0.9:vgg16,resnet50,-,alexnet m2:0.9:alexnet,googlenet,-,-
m3:0.9:vgg16,inception-v3,googlenet,efficientnet-b0 m4:0.9:vgg16,vgg16,alexnet,googlenet
m5:0.9:inception-v3,efficientnet-b0,mobilenet-v2,resnet50 m6:0.9:alexnet,alexnet,alexnet,vgg16
m7:0.6:all:alexnet,vgg16,resnet50,mobilenet-v2 m8:0.9:alexnet,inception-v3,-,-"""
SEED = 1


def rows_of(path):
    return list(csv.DictReader(open(path)))


class Machine:
    def __init__(self, folder):
        self.profile = [r for r in rows_of(folder + "/profile.csv") if r["batch"] == "1"]
        self.bursts = {r["model"]: r for r in rows_of(folder + "/networks.csv")}
        self.total = {}
        for r in self.profile:
            key = r["network"], r["accelerator"]
            self.total[key] = self.total.get(key, 0) + int(r["latency_ns"])
        self.platform, keep = [], False
        for line in open(folder + "/scenario.yaml").read().split("\n"):
            keep = line.startswith("platform:") or (keep and line.startswith(" "))
            if keep:
                self.platform.append(line)
        self.partitions = sum("kind:" in line for line in self.platform)


def write_scenario(machine, folder, load, networks, horizon):
    """Where a network repeats on a partition of its own it takes what it took in bursts; else what requests meet."""
    anywhere = networks.startswith("all:")
    if anywhere:
        names = networks[4:].split(",")
        where = {n: {f"p{p}" for p in range(machine.partitions)} for n in names}
    else:
        places = networks.split(",")
        names = sorted({n for n in places if n != "-"})
        where = {n: {f"p{p}" for p, one in enumerate(places) if one == n} for n in names}
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/profile.csv", "w") as file:
        writer = csv.DictWriter(file, machine.profile[0].keys())
        writer.writeheader()
        for row in machine.profile:
            name, kind = row["network"], row["accelerator"]
            if name not in names or kind not in where[name]:
                continue
            if not anywhere:
                burst = 1000 * float(machine.bursts[name][f"us_{kind}"])
                row = dict(row, latency_ns=round(int(row["latency_ns"]) * burst / machine.total[name, kind]))
            writer.writerow(row)
        for p in range(machine.partitions):  # a profile names every kind; nobody asks for this
            writer.writerow(dict.fromkeys(machine.profile[0], 0) | {"network": "nobody", "accelerator": f"p{p}", "after": "",
                                                                    "latency_ns": 1, "batch": 1, "units": 1})
    lines = ["name: live", "policies: [fcfs-h]", f"horizon: {horizon}", "networks:", "  profile: profile.csv", "  segments: whole"]
    lines += machine.platform + ["deadlines: {factor: 20}", "arrivals: {process: poisson}", "tenants:"]
    for name in names:
        rate = sum(load * 1e9 / machine.total[name, p] for p in where[name]) / (len(names) if anywhere else 1)
        lines.append(f"  - {{name: {name}, networks: [{name}], rate: {rate:.4f}/s}}")
    with open(folder + "/scenario.yaml", "w") as file:
        file.write("\n".join(lines) + "\n")


def medians(path):
    times = {}
    for row in rows_of(path):
        if row["start_ns"] and row["finish_ns"]:
            times.setdefault(row["network"], []).append((int(row["finish_ns"]) - int(row["start_ns"])) / 1e6)
    return {name: (statistics.median(all), len(all)) for name, all in times.items()}


def main():
    fairlead, source, out = sys.argv[1:4]
    rest, horizon = sys.argv[4:], "1500ms"
    if rest[:1] == ["--horizon"]:
        rest, horizon = rest[2:], rest[1]
    mixes = rest or MIXES.split()
    os.makedirs(out, exist_ok=True)
    machine = Machine(source)
    model = os.path.abspath(out + "/mine.slowdown")
    subprocess.run([fairlead, "interference", "fit", "--machine", source, "--corun", source + "/corun_train.csv", "--mixes",
                    source + "/mixes.csv", "--folds", "0", "--out", model], check=True, stdout=subprocess.DEVNULL)
    truths = {"learned": model, "bandwidth": None, "none": "none"}
    errors = {truth: [] for truth in truths}
    print(f"{'mix':4} {'network':18} {'runs':>4} {'live ms':>8}" + "".join(f" {t:>10} {'error %':>8}" for t in truths))
    for mix in mixes:
        name, load, networks = mix.split(":", 2)
        folder = f"{out}/{name}"
        write_scenario(machine, folder, float(load), networks, horizon)
        simulate = [fairlead, "simulate", folder + "/scenario.yaml", "--seed", str(SEED)]
        if not os.path.exists(folder + "/outcomes.csv"):
            subprocess.run(simulate + ["--live", "run", "--outcomes", folder + "/outcomes.csv"], check=True, stdout=subprocess.DEVNULL)
        found = {}
        for truth, value in truths.items():
            options = ["--set", "interference.truth=" + value] if value else []
            outcomes = f"{folder}/{truth}.csv"
            subprocess.run(simulate + options + ["--outcomes", outcomes], check=True, stdout=subprocess.DEVNULL)
            found[truth] = medians(outcomes)
        for network, (live, count) in sorted(medians(folder + "/outcomes.csv").items()):
            line = f"{name:4} {network:18} {count:4} {live:8.2f}"
            for truth in truths:
                predicted = found[truth][network][0]
                errors[truth].append(100 * (predicted / live - 1))
                line += f" {predicted:10.2f} {errors[truth][-1]:8.1f}"
            print(line)
    for truth, all in errors.items():
        off = sorted(abs(e) for e in all)
        print(f"{truth}: {statistics.median(off):.1f} % off in the median, {off[-1]:.1f} at most, of {len(off)} latencies")


if __name__ == "__main__":
    main()
