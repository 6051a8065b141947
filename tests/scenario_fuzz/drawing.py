"""Draws scenarios from the whole grammar of docs/guide/write-a-scenario.md, and policies with options.

Everything that is drawn follows from the random source that is handed in. Most draws are valid; a few are refused
by rules that only the program knows, which is no finding."""

import json
from dataclasses import dataclass, field

KINDS = ["simba", "eyeriss", "eyeriss-v2", "gemmini", "gemmini-os", "systolic", "systolic-64gb", "xavier-dla",
         "xavier-gpu", "gpu", "cpu"]
NETWORKS = ["alexnet", "squeezenet1-1", "resnet18", "mobilenet-v2", "shufflenet-v2-x1-0", "googlenet"]


@dataclass
class Draw:
    scenario: dict
    files: dict = field(default_factory=dict)  # name: text
    policies: list = field(default_factory=list)
    seed: int = 1

    def text(self):
        return json.dumps(self.scenario, indent=1) + "\n"  # every JSON text is YAML


def ns(value):
    return f"{max(int(value), 0)}ns"


class Drawing:
    def __init__(self, random, registry):
        self.random = random
        self.registry = registry  # `fairlead policies -o json`

    def chance(self, share):
        return self.random.random() < share

    def scale(self, low, high):
        """From low to high, every order of magnitude alike."""
        return low * (high / low) ** self.random.random()

    # -- policies --

    def option_value(self, values):
        choices = [choice for choice in values.split("|") if choice != "FILE"]
        choice = self.random.choice(choices)
        if ".." not in choice:
            return choice
        low, high = choice.split("..")
        if high.endswith("h"):
            return ns(self.scale(1, 3.6e12) if self.chance(0.2) else self.scale(100, 1e7))
        if self.chance(0.2):
            return self.random.choice([low, high])
        number = self.scale(max(float(low), 0.01), float(high))
        return str(max(int(number), 1)) if "." not in low and float(high) > 1 else f"{number:.4g}"

    def policy(self, name=None):
        entry = self.random.choice([p for p in self.registry
                                    if (name or p["name"]) == p["name"] and p["name"] != "fixed-plan"])
        options = [f"{option['key']}={self.option_value(option['values'])}" for option in entry["options"]
                   if self.chance(0.3)]
        return entry["name"] + (":" + ";".join(options) if options else "")

    # -- the world --

    def profile(self):
        """Kinds and networks of our own, with every way to be unusual that a profile may have."""
        kinds = [f"k{i}" for i in range(self.random.randint(1, 4))]
        wide = {kind: self.random.choice([1, 1, 1, 2, 4, 16]) for kind in kinds}
        rows = ["network,layer,accelerator,latency_ns,dram_bytes,energy_pj,after,batch,units"]
        networks = [f"n{i}" for i in range(self.random.randint(1, 4))]
        size = self.scale(10, 1e6)
        for network in networks:
            chain = self.chance(0.5)
            batches = sorted({1, *(self.random.choice([2, 3, 4, 8]) for _ in range(self.random.randint(0, 2)))})
            for layer in range(self.random.choice([1, 1, 2, 3, 5, 8])):
                after = "" if chain else "-" if layer == 0 or self.chance(0.2) else " ".join(
                    str(i) for i in range(layer) if i == layer - 1 or self.chance(0.3))
                able = [kind for kind in kinds if self.chance(0.8)] or [self.random.choice(kinds)]
                for kind in able:
                    alone = 0 if self.chance(0.05) else int(self.scale(size / 10, size * 10)) + 1
                    traffic = 0 if alone == 0 or self.chance(0.3) else int(self.scale(1, 1e3) * alone)
                    for batch in batches:
                        for units in sorted({1, wide[kind]} if self.chance(0.8) else {wide[kind]}):
                            latency = alone * (1 + 0.5 * (batch - 1)) / units ** 0.8
                            if traffic:
                                latency = max(latency, 1)
                            rows.append(f"{network},{layer},{kind},{int(latency)},{traffic * batch},"
                                        f"{int(latency) * 3},{after},{batch},{units}")
        self.kinds, self.networks, self.typical = kinds, networks, size
        return "\n".join(rows) + "\n"

    def requests(self, span):
        rows, at = ["request,arrival_ns,tenant,network,deadline_ns,priority"], 0
        count = self.random.randint(1, 60)
        for number in range(count):
            at += 0 if self.chance(0.2) else int(self.scale(1, 2 * span / count + 2))
            rows.append(f"{number},{at},t{self.random.randint(0, 3)},{self.random.choice(self.networks)},"
                        f"{int(self.scale(1, 100 * self.typical))},{self.random.choice([0, 1, 1, 5])}")
        return "\n".join(rows) + "\n"

    def accelerators(self, measured):
        kinds = self.random.sample(self.kinds, self.random.randint(1, min(len(self.kinds), 3)))
        listed = []
        for kind in kinds:
            entry = {"kind": kind, "count": self.random.choice([1, 1, 2, 3, 5])}
            if not measured and kind in ("gpu", "cpu", "xavier-gpu") and self.chance(0.7):
                entry["units"] = self.random.choice([1, 2, 4, 16])
            if self.chance(0.3):
                entry["switching"] = ns(self.scale(1, 10 * self.typical))
            listed.append(entry)
        return listed

    def names(self, accelerators):
        return [entry["kind"] if entry["count"] == 1 else f"{entry['kind']}.{i}"
                for entry in accelerators for i in range(entry["count"])]

    def arrivals(self, span):
        return self.random.choice([
            {"process": "poisson"},
            {"process": "pareto", "shape": round(self.scale(1.05, 5), 3)},
            {"process": "bursty", "busy": ns(span / 10), "quiet": ns(span / 3), "ratio": self.random.choice([1, 3, 100])},
            {"process": "periodic"},
        ])

    def contract(self, rate):
        contract = {"rate": f"{max(round(rate * self.scale(0.1, 3), 6), 1e-6)}/s",
                    "burst": self.random.choice([1, 2, 5, 40])}
        if self.chance(0.7):
            contract["over"] = self.random.choice(["serve", "refuse"])
        return contract

    def promise_period(self, span):
        length = ns(max(self.scale(span / 50, span * 2), 12))
        return length if self.chance(0.5) else {"length": length, "kind": self.random.choice(["sliding", "tumbling"])}

    def group(self, number, span):
        group = {"name": f"g{number}", "networks": self.random.sample(
            self.networks, self.random.randint(1, min(len(self.networks), 3)))}
        rate = self.random.randint(2, 60) / (span * 1e-9)
        if self.chance(0.6):
            group["count"] = self.random.randint(2, 6)
        if self.chance(0.3):
            group["networks_each"] = 1
        if self.rated:
            group["rate"] = f"{rate:.6f}/s"
        elif self.chance(0.4):
            group["share"] = round(self.scale(0.1, 10), 3)
        if self.chance(0.3):
            group["weight"] = round(self.scale(0.1, 10), 3)
        deadline = self.random.random()
        if deadline < 0.2:
            group["factor"] = round(self.scale(0.3, 30), 3)
        elif deadline < 0.4:
            group["deadline"] = ns(self.scale(1, 100 * self.typical))
        promised = self.random.random()
        if promised < 0.4:
            group["target"] = self.random.choice(["0%", "50%", "90%", "100%"])
        elif promised < 0.5:
            group["target"] = {"zipf": ["70%", "80%", "90%"], "exponent": 1}
        if "target" in group and self.chance(0.4):
            group["period"] = self.promise_period(span)
        if self.chance(0.2):
            group["window"] = self.random.randint(1, 20)
            group["max_misses"] = self.random.randint(0, group["window"] - 1)
        if self.chance(0.3):
            group["price"], group["penalty"] = self.random.choice([0, 1, 7.5]), self.random.choice([0, 3])
        if "target" not in group and "window" not in group and self.chance(0.4):
            group["floor"] = self.random.choice(["1%", "3%"])
        if self.chance(0.3):
            group["contract"] = self.contract(rate)
        if self.chance(0.3):
            group["priority"] = self.random.choice([0, 1, 7, 1000000])
        if self.chance(0.25):
            group["joins"] = self.instant(span)
        if self.chance(0.2):
            joins = int(group.get("joins", "0ns")[:-2])
            group["leaves"] = ns(joins + 1 + self.random.random() * span)
        if self.chance(0.2):
            group["arrivals"] = self.arrivals(span)
        return group

    def instant(self, span):
        """Few instants, so that several things happen at the same one."""
        return ns(self.random.choice([0, span / 4, span / 3, span / 2, self.random.random() * 1.2 * span]))

    def guard(self, span):
        guard = {}
        if self.chance(0.7):
            guard["policy"] = self.policy()
        for key in "decision", "idle", "within":
            if self.chance(0.6):
                guard[key] = ns(max(self.scale(span / 1e4, span), 1))
        if self.chance(0.7):
            guard["strikes"] = self.random.choice([1, 2, 5])
        if self.chance(0.5):
            guard["back"] = "never" if self.chance(0.3) else ns(max(self.scale(span / 1e3, span), 1))
        return guard

    def change(self, scenario, span, names):
        change = {"at": self.instant(span)}
        what = self.random.random()
        if what < 0.5:
            change |= {"accelerator": self.random.choice(names), "state": self.random.choice(["away", "away", "back"])}
        elif what < 0.75 or "tenants" not in scenario:
            if self.chance(0.8):
                change["policy"] = self.policy()
            if "policy" not in change or self.chance(0.2):
                change["guard"] = self.guard(span)
        else:
            group = self.random.choice(scenario["tenants"])
            count = group.get("count", 1)
            change["tenant"] = group["name"] if count == 1 else f"{group['name']}-{self.random.randint(1, count)}"
            change["network"] = self.random.choice(group["networks"])
            change["at"] = self.random.choice([group.get("joins", "0ns"), change["at"]])
            if "floor" in group:
                change["floor"] = self.random.choice(["0%", "2%"])
            elif self.chance(0.7):
                change["target"] = self.random.choice(["10%", "95%"])
                if self.chance(0.3):
                    change["period"] = self.promise_period(span)
            if len(change) == 3 or self.chance(0.3):
                change["contract"] = self.contract(20 / (span * 1e-9))
        return change

    def flapping(self, span, names):
        """An accelerator that fails again and again under what runs there."""
        name, at, changes = self.random.choice(names), self.random.random() * span / 2, []
        step = self.scale(span / 1000, span / 20)
        for _ in range(self.random.randint(2, 8)):
            changes.append({"at": ns(at), "accelerator": name, "state": "away"})
            at += 0 if self.chance(0.3) else step * self.random.random()
            changes.append({"at": ns(at), "accelerator": name, "state": "back"})
            at += step * self.random.random()
        return changes

    def draw(self, live=False):
        """A scenario. Live ones last a few hundred milliseconds of real time."""
        files = {}
        networks = {}
        if self.chance(0.5):
            files["profile.csv"] = self.profile()
            networks["profile"] = "profile.csv"
            if live:
                self.typical = max(self.typical, 1e5)
        else:
            self.kinds, self.networks, self.typical = KINDS, self.random.sample(NETWORKS, 3), 1e6
            if self.chance(0.3):
                networks["batches"] = self.random.choice([[1, 2], [1, 2, 4], [1, 8]])
        segments = self.random.random()
        if segments < 0.3:
            networks |= {"segments": "blocks", "layers_per_block": self.random.choice([1, 2, 5, 100])}
        elif segments < 0.5:
            networks["segments"] = "whole"
        span = self.scale(2e6, 2e8) if live else self.typical * self.scale(3, 60)
        accelerators = self.accelerators("profile" in networks)
        platform = {"accelerators": accelerators}
        if self.chance(0.6):
            platform["bandwidth"] = f"{int(self.scale(1e8, 2e11))}B/s"
            platform["sharing"] = self.random.choice(["proportional", "max-min", "none"])
        if self.chance(0.03):
            platform, networks, files = self.random.choice(["xavier", "xeon-16", "h200-partitions"]), {}, {}
            self.networks, self.typical, span = ["resnet18", "alexnet"], 1e6, 2e7
            accelerators = []
        scenario = {"platform": platform}
        if networks:
            scenario["networks"] = networks
        if files and self.chance(0.3) and not live:
            files["requests.csv"] = self.requests(span)
            scenario["requests"] = "requests.csv"
        else:
            self.tenants(scenario, span)
        self.surroundings(scenario, span, live, self.names(accelerators))
        policies = sorted({self.policy() for _ in range(self.random.randint(2, 5))} | {self.policy("fairlead")})
        return Draw(scenario, files, policies, self.random.randint(0, 2**32))

    def tenants(self, scenario, span):
        scenario["horizon"] = ns(span)
        if self.chance(0.3):
            scenario["warm_up"] = ns(span * self.random.random() * 0.8)
        self.rated = self.chance(0.6)
        if not self.rated:
            scenario["load"] = round(self.scale(0.1, 4), 3)
        if self.chance(0.4):
            levels = [round(self.scale(0.2, 5), 3) for _ in range(self.random.randint(1, 3))]
            scenario["deadlines"] = {"factor": round(self.scale(0.5, 20), 3), "levels": levels,
                                     "weights": [1] * len(levels)}
        if self.chance(0.7):
            scenario["arrivals"] = self.arrivals(span)
        scenario["tenants"] = [self.group(i, span) for i in range(self.random.randint(1, 4))]

    def surroundings(self, scenario, span, live, names):
        if self.chance(0.3):
            scenario["period"] = ns(max(self.scale(span / 2000, span / 5), 1))
        if self.chance(0.3):
            scenario["late_jobs"] = self.random.choice(["drop", "finish"])
        if self.chance(0.3):
            scenario["beliefs"] = {key: round(self.scale(0.01, 5), 3) for key in (
                "bias", "noise", "network_noise", "kind_noise") if self.chance(0.5)} or {"bias": -0.5}
        if self.chance(0.1):
            models = ["none", "constant:1.2", "constant:1000", "shared-bandwidth:1GB/s"]
            models += ["measured"] * (scenario["platform"] == "h200-partitions")
            scenario["interference"] = {key: self.random.choice(models) for key in ("truth", "belief")
                                        if self.chance(0.6)} or {"truth": "none"}
        if not live and self.chance(0.25):
            charge = {}
            if self.chance(0.7):
                charge["fixed"] = ns(self.scale(1, span / 10 + 1))
            if self.chance(0.5):
                charge["per_ready"] = ns(self.scale(1, span / 1000 + 1))
            if names and self.chance(0.4):
                charge |= {"accelerator": self.random.choice(names), "bytes_per_ready": self.random.choice([0, 1000]),
                           "energy_pj_per_ready": 5}
            scenario["decision_charge"] = charge or {"fixed": "1ns"}
        if self.chance(0.15):
            scenario["guard"] = self.guard(span)
        changes = []
        if names and self.chance(0.5):
            changes = [self.change(scenario, span, names) for _ in range(self.random.randint(1, 6))]
        if names and self.chance(0.2):
            changes += self.flapping(span, names)
        if names and self.chance(0.08):  # all gone, for good
            changes += [{"at": ns(span / 3), "accelerator": name, "state": "away"} for name in names]
        if changes:
            scenario["changes"] = changes
        if self.chance(0.1):
            scenario["require"] = {"fairlead": ["hit_rate>=50%"]}
