"""All structures one by one: the sum, the edge probabilities and the best, by definition."""

import math
from itertools import combinations, product


def posterior(n, term, temperature=1.0):
    """Give log sum, {pair: probability} and the best (score, edges); `term(x, blanket)` is a log."""
    pairs = list(combinations(range(n), 2))
    scores = {}
    for bits in product((0, 1), repeat=len(pairs)):
        edges = tuple(pair for pair, bit in zip(pairs, bits, strict=True) if bit)
        blankets = [tuple(sorted({y for e in edges if x in e for y in e} - {x})) for x in range(n)]
        scores[edges] = math.fsum(term(x, blankets[x]) for x in range(n))
    top = max(scores.values())
    whole = math.fsum(math.exp((score - top) / temperature) for score in scores.values())
    probability = {
        pair: math.fsum(math.exp((s - top) / temperature) for e, s in scores.items() if pair in e) / whole
        for pair in pairs
    }
    return top / temperature + math.log(whole), probability, (top, max(scores, key=scores.get))
