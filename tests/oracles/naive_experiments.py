"""Means, intervals and ratios by the definitions, with loops."""

import math

# Student's t, 97.5 % quantile, by degrees of freedom (any printed table)
QUANTILES = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 10: 2.228, 20: 2.086}


def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def deviation(values):
    middle, total = mean(values), 0.0
    for value in values:
        total += (value - middle) ** 2
    return math.sqrt(total / (len(values) - 1))


def half_width(values):
    return QUANTILES[len(values)] * deviation(values) / math.sqrt(len(values))


def ratios(errors, baseline):
    """Ratios run by run, and how many have none."""
    found, left_out = [], 0
    for error, base in zip(errors, baseline, strict=True):
        if base == 0 and error == 0:
            found.append(1.0)
        elif base == 0:
            left_out += 1
        else:
            found.append(error / base)
    return found, left_out
