"""What dividing a slice can make of its Bayes factor, by trying every division."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import prod


def rising(start, count):
    """Product of start, start + 1, ... with so many factors."""
    return prod(range(start, start + count))


def dirichlet(counts, parameter):
    """Probability of a sequence with these counts when all parameters are equal."""
    return Fraction(prod(rising(parameter, c) for c in counts), rising(len(counts) * parameter, sum(counts)))


@cache
def bayes_factor(cells, margin):
    """h / g of the cells (a0, a1, b0, b1); margins have the parameter `margin`, cells 1."""
    a0, a1, b0, b1 = cells
    independent = dirichlet((a0 + b0, a1 + b1), margin) * dirichlet((a0 + a1, b0 + b1), margin)
    return dirichlet(cells, 1) / independent


def halves(cells):
    """Every way to divide data points in two that leaves none of the two empty."""
    for part in product(*(range(c + 1) for c in cells)):
        rest = tuple(c - p for c, p in zip(cells, part, strict=True))
        if any(part) and any(rest):
            yield part, rest


@cache
def least(cells, margin):
    """The lowest mean of min(h / g, 1) over the parts of any division."""
    means = [(least(part, margin) + least(rest, margin)) / 2 for part, rest in halves(cells)]
    return min([bayes_factor(cells, margin), Fraction(1), *means])


@cache
def most(cells, margin):
    """The highest mean of h / g over the parts of any division."""
    means = [(most(part, margin) + most(rest, margin)) / 2 for part, rest in halves(cells)]
    return max([bayes_factor(cells, margin), *means])
