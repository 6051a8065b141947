#!/usr/bin/env python3
"""Makes profile.csv, mixes.csv and copies.csv of data/cpu16 (PyTorch): derive.py, from the project's root. README.md tells how."""
import csv
import math

SOURCE, TARGET = "data/cpu16/", "data/cores16/"
UNITS = (1, 2, 4, 8, 16)
PARTITIONS = (8, 4, 2, 2)


def table(name):
    return list(csv.DictReader(open(SOURCE + name)))


def named(model):
    return model.replace("_", "-")


def number(row, column):
    return float(row[column]) if row.get(column) else 1.0


def touched(row):
    """Inputs, weights and outputs once, in words of four bytes."""
    n, cin, cout = number(row, "n"), number(row, "cin"), number(row, "cout")
    if row["kind"] == "linear":
        return 4 * (n * cin + cin * cout + n * cout)
    kh, kw, stride, groups = (number(row, c) for c in ("kh", "kw", "stride", "groups"))
    h, w = number(row, "h"), number(row, "w")
    pad_h = float(row["pad_h"] or 0)
    pad_w = float(row["pad_w"] or 0)
    out = ((h + 2 * pad_h - kh) // stride + 1) * ((w + 2 * pad_w - kw) // stride + 1)
    return 4 * (n * cin * h * w + cout * (cin / groups) * kh * kw + n * cout * out)


def quantile(values, share):
    values = sorted(values)
    return values[min(int(share * len(values)), len(values) - 1)]


def main():
    layers = {row["id"]: row for row in table("layers.csv")}
    networks = {row["model"]: row for row in table("networks.csv")}
    models = {}
    for row in table("models.csv"):
        models.setdefault(row["model"], []).append(row["layer_id"])
    alone = {row["model"]: [float(row[c]) for c in ("us_8c_0", "us_4c_1", "us_2c_2", "us_2c_3")]
             for row in table("solo_partition.csv")}
    mixes = []
    for row in table("mixes_train.csv"):
        mix = [(row[f"p{p}"], PARTITIONS[p], alone[row[f"p{p}"]][p], float(row[f"us_p{p}"]))
               for p in range(4) if row[f"p{p}"]]
        if len(mix) > 1:
            mixes.append(mix)
    # How much a network suffers: of the mixes that the world's curve is fitted to, the others are kept back.
    slowed = {}
    for mix in mixes[::2]:
        for model, _, before, us in mix:
            slowed.setdefault(model, []).append(us / before)
    suffers = {model: max(quantile(values, 0.9), 1.0) for model, values in slowed.items()}
    with open(TARGET + "profile.csv", "w") as file:
        file.write("network,layer,accelerator,latency_ns,dram_bytes,energy_pj,units,version,pressed_ns\n")
        for model in sorted(models):
            for units in UNITS:
                times = [float(layers[i][f"us_{min(units, 8)}c"]) for i in models[model]]
                scale = float(networks[model][f"us_{units}c"]) / sum(times)
                for place, layer in enumerate(models[model]):
                    latency = 1000 * scale * times[place]
                    pressed = latency * suffers.get(model, 1.0) if units < 16 else 0
                    file.write(f"{named(model)},{place},cores,{latency:.0f},{touched(layers[layer]):.0f},0,{units},0,{pressed:.0f}\n")
    with open(TARGET + "mixes.csv", "w") as file:
        file.write("mix,network,version,units,alone_us,us\n")
        for place, mix in enumerate(mixes):
            for model, units, before, us in mix:
                file.write(f"{place},{named(model)},0,{units},{before},{us}\n")
    single = {row["model"]: float(row["mean_us"]) for row in table("copies.csv") if row["copies"] == "1"}
    with open(TARGET + "copies.csv", "w") as file:
        file.write("network,copies,alone_us,us\n")
        for row in table("copies.csv"):
            if row["copies"] != "1":
                file.write(f"{named(row['model'])},{row['copies']},{single[row['model']]},{row['mean_us']}\n")
    print({named(m): round(s, 2) for m, s in suffers.items()}, len(mixes))


if __name__ == "__main__":
    main()
