"""Means with their uncertainty, and tables as CSV, for tools/compare, tools/tune and benchmarks/promises.py."""

import csv
import io
import math

# Student's t for 95 %, by degrees of freedom from 1 on.
T_95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
        2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
        2.045, 2.042]


def mean(values):
    return sum(values) / len(values)


def mean_and_interval(values):
    """The mean and half of its 95 % interval; None for that where one value says nothing about it."""
    count = len(values)
    middle = mean(values)
    if count < 2:
        return middle, None
    freedom = count - 1
    t = T_95[freedom - 1] if freedom <= len(T_95) else 1.96 + 2.4 / freedom
    deviation = math.sqrt(sum((v - middle) ** 2 for v in values) / freedom)
    return middle, t * deviation / math.sqrt(count)


def csv_of(table):
    """A table in Markdown as CSV."""
    text = io.StringIO()
    rows = [line.strip().strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    csv.writer(text, lineterminator="\n").writerows(
        [cell.strip().replace("`", "") for cell in row] for row in rows if set("".join(row)) - set(":- "))
    return text.getvalue()
