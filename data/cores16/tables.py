#!/usr/bin/env python3
"""Makes profile.csv, mixes.csv and copies.csv of folders that `fairlead profile` wrote: tables.py OUT LAYOUT-FOLDER...

Each folder holds one layout of partitions on the same machine; README.md names them. Partitions of as many cores are one
number of units; where several folders have it, the first that is given counts for costs. In folders called copies-... one network
runs beside itself: these make copies.csv."""
import csv
import json
import os
import sys

GENTLE = "@gentle"


def version_of(name):
    return (name[: -len(GENTLE)], 1) if name.endswith(GENTLE) else (name, 0)


def main():
    out, folders = sys.argv[1], sys.argv[2:]
    costs, mixes, copies = {}, [], {}
    for folder in folders:
        summary = json.load(open(os.path.join(folder, "summary.json")))
        cores = [len(p["cores"]) for p in summary["partitions"]]
        if os.path.basename(os.path.normpath(folder)).startswith("copies-"):
            read_copies(folder, cores, copies)
            continue
        read_costs(folder, cores, costs)
        if os.path.exists(os.path.join(folder, "mixes.csv")):
            read_mixes(folder, cores, mixes)
    names = sorted({key[0] for key in costs})
    with open(os.path.join(out, "profile.csv"), "w") as file:
        file.write("network,layer,accelerator,latency_ns,dram_bytes,energy_pj,units,version,pressed_ns\n")
        for name in names:
            for key in sorted(k for k in costs if k[0] == name):
                for layer, (latency, touched, pressed) in enumerate(costs[key]):
                    touched = touched if latency > 0 else 0
                    slowed = round(latency * pressed) if pressed > 1 else 0
                    file.write(f"{name},{layer},cores,{latency},{touched},0,{key[2]},{key[1]},{slowed}\n")
    with open(os.path.join(out, "mixes.csv"), "w") as file:
        file.write("mix,network,version,units,alone_us,us\n")
        for number, mix in enumerate(mixes):
            for name, version, units, alone, us in mix:
                file.write(f"{number},{name},{version},{units},{alone:.1f},{us:.1f}\n")
    with open(os.path.join(out, "copies.csv"), "w") as file:
        file.write("network,copies,alone_us,us\n")
        for (name, count), (alone, times) in sorted(copies.items()):
            file.write(f"{name},{count},{alone:.1f},{sum(times) / len(times):.1f}\n")
    print(len(names), "networks,", sum(len(c) for c in costs.values()), "rows,", len(mixes), "mixes")


def read_costs(folder, cores, costs):
    """By network, version and units: latency, bytes and time beside the press of each layer."""
    rows = list(csv.DictReader(open(os.path.join(folder, "profile.csv"))))
    operators = list(csv.DictReader(open(os.path.join(folder, "operators.csv"))))
    assert len(rows) == len(operators)
    fresh = {}
    for row, operator in zip(rows, operators):
        assert (row["network"], row["layer"], row["accelerator"]) == (
            operator["network"], operator["layer"], operator["accelerator"])
        partition = int(row["accelerator"][1:])
        if cores.index(cores[partition]) != partition:
            continue
        key = (*version_of(row["network"]), cores[partition])
        if key in costs:
            continue
        layers = fresh.setdefault(key, [])
        assert len(layers) == int(row["layer"])
        layers.append((int(row["latency_ns"]), int(operator["bytes"]), float(operator["pressed"])))
    costs.update(fresh)


def read_mixes(folder, cores, mixes):
    """Those with more than one network; latencies repeated at once, alone and in the mix."""
    alone = {}
    for row in csv.DictReader(open(os.path.join(folder, "networks.csv"))):
        alone[row["model"]] = [float(row[f"us_p{p}"]) for p in range(len(cores))]
    for row in csv.DictReader(open(os.path.join(folder, "mixes.csv"))):
        members = []
        for p, units in enumerate(cores):
            name = row[f"p{p}"]
            if name:
                members.append((*version_of(name), units, alone[name][p], float(row[f"us_p{p}"])))
        if len(members) > 1:
            mixes.append(members)


def read_copies(folder, cores, copies):
    """By network and number of copies: latency alone, and those of all copies."""
    mixes = []
    read_mixes(folder, cores, mixes)
    for mix in mixes:
        name, _, _, alone, _ = mix[0]
        copies.setdefault((name, len(mix)), (alone, []))[1].extend(member[4] for member in mix)


if __name__ == "__main__":
    main()
