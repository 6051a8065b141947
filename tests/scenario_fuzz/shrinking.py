"""Makes what was found small: whatever can be left out, and the law is still broken, is left out."""

import copy


def smaller(value, path=()):
    """Every way to leave one thing out, large things first."""
    if isinstance(value, dict):
        for key in value:
            yield path + (key,)
        for key in value:
            yield from smaller(value[key], path + (key,))
    elif isinstance(value, list):
        for i in reversed(range(len(value))):
            yield path + (i,)
        for i, item in enumerate(value):
            yield from smaller(item, path + (i,))


def without(scenario, path):
    scenario = copy.deepcopy(scenario)
    place = scenario
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return scenario


def shrink(draw, breaks):
    """The draw with all left out that need not be there; `breaks` says whether one still breaks the law."""
    for policy in draw.policies:
        alone = copy.copy(draw)
        alone.policies = [policy]
        if breaks(alone):
            draw = alone
            break
    again = True
    while again:
        again = False
        for path in list(smaller(draw.scenario)):
            try:
                candidate = copy.copy(draw)
                candidate.scenario = without(draw.scenario, path)
            except (KeyError, IndexError, TypeError):
                continue  # gone with something larger
            if breaks(candidate):
                draw, again = candidate, True
    for name in draw.files:
        lines = draw.files[name].splitlines(keepends=True)
        for i in reversed(range(1, len(lines))):
            candidate = copy.copy(draw)
            candidate.files = {**draw.files, name: "".join(lines[:i] + lines[i + 1:])}
            if breaks(candidate):
                draw, lines = candidate, lines[:i] + lines[i + 1:]
    return draw
