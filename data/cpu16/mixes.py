#!/usr/bin/env python3
"""Makes data/cpu16/mixes.csv of the two tables beside it: mixes.py, from the project's root. Each network of a mix of two and more:
the cores of its partition, its latency alone there, and in the mix."""
import csv

FOLDER = "data/cpu16/"
CORES = (8, 4, 2, 2)
ALONE = ("us_8c_0", "us_4c_1", "us_2c_2", "us_2c_3")


def table(name):
    return list(csv.DictReader(open(FOLDER + name)))


def main():
    alone = {row["model"]: [float(row[column]) for column in ALONE] for row in table("solo_partition.csv")}
    mixes = []
    for row in table("mixes_train.csv"):
        mix = [(row[f"p{p}"], CORES[p], alone[row[f"p{p}"]][p], float(row[f"us_p{p}"])) for p in range(4) if row[f"p{p}"]]
        if len(mix) > 1:
            mixes.append(mix)
    with open(FOLDER + "mixes.csv", "w") as file:
        file.write("mix,network,version,units,alone_us,us\n")
        for place, mix in enumerate(mixes):
            for model, units, before, us in mix:
                file.write(f"{place},{model.replace('_', '-')},0,{units},{before},{us}\n")
    print(len(mixes), "mixes")


if __name__ == "__main__":
    main()
