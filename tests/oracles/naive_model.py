"""What a Markov network says, by adding up all configurations. Shares no code with the package."""

import itertools
import math


def configurations(cards):
    return list(itertools.product(*(range(c) for c in cards)))


def weight(factors, x):
    """exp of the sum of the factors: [(variables, nested lists of logs)]."""
    total = 0.0
    for variables, table in factors:
        entry = table
        for v in variables:
            entry = entry[x[v]]
        total += entry
    return math.exp(total) if total != -math.inf else 0.0


def partition(factors, cards):
    return math.fsum(weight(factors, x) for x in configurations(cards))


def probability(factors, cards, seen):
    """Probability of a partial configuration: dict from variable to state."""
    agree = [x for x in configurations(cards) if all(x[v] == a for v, a in seen.items())]
    return math.fsum(weight(factors, x) for x in agree) / partition(factors, cards)


def marginal(factors, cards, of, seen):
    """Joint distribution of some variables given a partial configuration."""
    whole = probability(factors, cards, seen)
    result = {}
    for states in itertools.product(*(range(cards[v]) for v in of)):
        both = {**seen, **dict(zip(of, states, strict=True))}
        result[states] = probability(factors, cards, both) / whole
    return result


def pseudo_log_likelihood(factors, cards, x):
    total = 0.0
    for v in range(len(cards)):
        others = [weight(factors, [*x[:v], a, *x[v + 1 :]]) for a in range(cards[v])]
        total += math.log(others[x[v]] / math.fsum(others))
    return total


def most_probable(factors, cards, seen):
    """The largest weight among the configurations that agree."""
    agree = [x for x in configurations(cards) if all(x[v] == a for v, a in seen.items())]
    return max(weight(factors, x) for x in agree)


def smoothed_margin(rows, weights, cards, variables, strength):
    """Proportions with `strength` data points spread evenly over the joint states of all variables."""
    share = strength / math.prod(cards)
    totals = {}
    for x in configurations(cards):
        key = tuple(x[v] for v in variables)
        totals[key] = totals.get(key, 0.0) + share
    for row, w in zip(rows, weights, strict=True):
        totals[tuple(row[v] for v in variables)] += w
    n = sum(weights) + strength
    return {key: value / n for key, value in totals.items()}


def likelihood(factors, cards, rows, weights, strength):
    """Mean log-likelihood of the data and of the points of the prior."""
    z = partition(factors, cards)
    share = strength / math.prod(cards)
    total = math.fsum(w * math.log(weight(factors, row) / z) for row, w in zip(rows, weights, strict=True))
    if strength:
        total += math.fsum(share * math.log(weight(factors, x) / z) for x in configurations(cards))
    return total / (sum(weights) + strength)
