#!/usr/bin/env python3
"""Makes profile.csv, mixes.csv and copies.csv of folders that `fairlead profile` wrote: tables.py OUT NETWORKS16 LAYOUT-FOLDER...

Each folder holds one layout of partitions on the same machine; README.md names them. Partitions of as many cores are one
number of units. What disturbs a measurement makes it slower, so of several folders the least latency of a network that
repeats alone on so many cores counts; its layers, as that folder has them, are scaled to it. Nobody could measure all sixteen
cores at once: NETWORKS16 (data/cpu16/networks.csv) says what another executor gained there over eight. How much a network
suffers beside others is the 90th percentile of its slowdowns in every other mix. In folders called copies-... one network runs
beside itself: these make copies.csv, by medians."""
import csv
import json
import os
import statistics
import sys

GENTLE = "@gentle"


def version_of(name):
    return (name[: -len(GENTLE)], 1) if name.endswith(GENTLE) else (name, 0)


def rows_of(folder, name):
    return list(csv.DictReader(open(os.path.join(folder, name))))


class Layout:
    def __init__(self, folder):
        self.folder = folder
        self.cores = [len(p["cores"]) for p in json.load(open(os.path.join(folder, "summary.json")))["partitions"]]
        self.copies = os.path.basename(os.path.normpath(folder)).startswith("copies-")
        self.alone = {}  # by network, version and units, in us
        for row in rows_of(folder, "networks.csv"):
            for p, units in enumerate(self.cores):
                key = *version_of(row["model"]), units
                self.alone[key] = min(self.alone.get(key, 1e300), float(row[f"us_p{p}"]))

    def layers(self):
        """By network, version and units: latency and bytes of each layer, on the first partition that has so many."""
        found = {}
        for row, operator in zip(rows_of(self.folder, "profile.csv"), rows_of(self.folder, "operators.csv"), strict=True):
            assert all(row[c] == operator[c] for c in ("network", "layer", "accelerator"))
            partition = int(row["accelerator"][1:])
            if self.cores.index(self.cores[partition]) == partition:
                key = *version_of(row["network"]), self.cores[partition]
                found.setdefault(key, []).append((int(row["latency_ns"]), int(operator["bytes"])))
        return found

    def mixes(self):
        """Of two and more: network, version, units and latency of each member."""
        for row in rows_of(self.folder, "mixes.csv"):
            members = [(*version_of(row[f"p{p}"]), units, float(row[f"us_p{p}"])) for p, units in enumerate(self.cores) if row[f"p{p}"]]
            if len(members) > 1:
                yield members


def quantile(values, share):
    values = sorted(values)
    return values[min(int(share * len(values)), len(values) - 1)]


def main():
    out, sixteen, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    gain = {r["model"].replace("_", "-"): min(float(r["us_16c"]) / float(r["us_8c"]), 1) for r in csv.DictReader(open(sixteen))}
    layouts = [Layout(folder) for folder in folders]
    alone, costs = {}, {}
    for layout in layouts:
        layers = {} if layout.copies else layout.layers()
        for key, us in layout.alone.items():
            if us < alone.get(key, 1e300):
                alone[key] = us
                if key in layers:
                    costs[key] = layers[key]
            elif key in layers:
                costs.setdefault(key, layers[key])
    mixes = [mix for layout in layouts if not layout.copies for mix in layout.mixes()]
    slowed = {}
    for mix in mixes[::2]:  # the world's curve is fitted to these; the others are kept back
        for name, version, units, us in mix:
            slowed.setdefault((name, version), []).append(us / alone[name, version, units])
    suffers = {key: max(quantile(values, 0.9), 1) for key, values in slowed.items()}
    for name, version, units in list(costs):
        if units == 8:
            costs[name, version, 16] = costs[name, version, 8]
            alone[name, version, 16] = alone[name, version, 8] * gain[name]
    with open(os.path.join(out, "profile.csv"), "w") as file:
        file.write("network,layer,accelerator,latency_ns,dram_bytes,energy_pj,units,version,pressed_ns\n")
        for name, version, units in sorted(costs):
            rows = costs[name, version, units]
            scale = 1000 * alone[name, version, units] / sum(latency for latency, _ in rows)
            for layer, (latency, touched) in enumerate(rows):
                latency = round(latency * scale)
                pressed = round(latency * suffers[name, version]) if units < 16 else 0
                file.write(f"{name},{layer},cores,{latency},{touched if latency else 0},0,{units},{version},{pressed}\n")
    with open(os.path.join(out, "mixes.csv"), "w") as file:
        file.write("mix,network,version,units,alone_us,us\n")
        for number, mix in enumerate(mixes):
            for name, version, units, us in mix:
                file.write(f"{number},{name},{version},{units},{alone[name, version, units]:.1f},{us:.1f}\n")
    copies = {}
    for layout in layouts:
        for mix in layout.mixes() if layout.copies else ():
            copies.setdefault((mix[0][0], len(mix)), []).extend(us for *_, us in mix)
    with open(os.path.join(out, "copies.csv"), "w") as file:
        file.write("network,copies,alone_us,us\n")
        for (name, count), times in sorted(copies.items()):
            file.write(f"{name},{count},{alone[name, 0, 4]:.1f},{statistics.median(times):.1f}\n")
    print(len({key[0] for key in costs}), "networks,", sum(map(len, costs.values())), "rows,", len(mixes), "mixes;",
          {f"{n} {v}": round(s, 2) for (n, v), s in sorted(suffers.items())})


if __name__ == "__main__":
    main()
