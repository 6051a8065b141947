"""Small worlds for the tests of the Python package."""

# A short, busy stretch on two kinds of accelerators: some thousand decisions.
BUSY = {
    "horizon": "200ms",
    "platform": {"bandwidth": "16GB/s",
                 "accelerators": [{"kind": "simba", "count": 2}, {"kind": "eyeriss", "count": 2}]},
    "load": 0.7,
    "tenants": [{"count": 6, "networks": ["alexnet", "inception-v3", "resnet50"], "networks_each": 1,
                 "target": "80%"}],
}

# What a real clock puts into results.
CLOCKED = ("decision_us", "wall_s", "segments_per_s")


def without_clocks(value):
    """A result without what differs between two equal runs."""
    if isinstance(value, dict):
        return {key: without_clocks(one) for key, one in value.items()
                if not any(key.startswith(name) for name in CLOCKED)}
    if isinstance(value, list):
        return [without_clocks(one) for one in value]
    return value
