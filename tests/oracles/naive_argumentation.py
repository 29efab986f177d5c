"""All arguments of a knowledge base, and which of them are accepted, by Dung's grounded extension.

A proposition is (x, y, frozenset given, independent), x < y. Nothing is shared with the package: rules are
clauses, every clause gives an argument for each of its literals, and acceptance is a fixed point over
the whole set of arguments.
"""

from itertools import combinations


def propositions(n):
    found = []
    for x, y in combinations(range(n), 2):
        others = [z for z in range(n) if z not in (x, y)]
        for size in range(len(others) + 1):
            for given in combinations(others, size):
                found += [(x, y, frozenset(given), True), (x, y, frozenset(given), False)]
    return found


def say(x, y, given, independent):
    return min(x, y), max(x, y), frozenset(given), independent


def no(proposition):
    return *proposition[:3], not proposition[3]


def clauses(n, sets=False):
    """Pearl's axioms for undirected graphs as sets of literals of which one must hold."""
    found = set()
    for x in range(n):
        for y in range(n):
            others = [z for z in range(n) if z not in (x, y)]
            for size in range(len(others) + 1):
                for given in combinations(others, size) if x != y else ():
                    rest = [w for w in others if w not in given]
                    holds = say(x, y, given, True)
                    for k in range(1, len(rest) + 1 if sets else 2):
                        for more in combinations(rest, k):
                            found.add(frozenset({no(holds), say(x, y, {*given, *more}, True)}))
                    for w in rest:
                        found.add(frozenset({no(holds), say(x, w, given, True), say(w, y, given, True)}))
                        found.add(
                            frozenset({holds, say(x, y, {*given, w}, False), say(x, w, {*given, y}, False)})
                        )
    return found


def arguments(n, sets=False):
    """(support, head) for every proposition and every literal of every clause."""
    found = [(frozenset({each}), each) for each in propositions(n)]
    for clause in clauses(n, sets):
        found += [(frozenset(no(other) for other in clause if other != head), head) for head in clause]
    return found


def attacks(one, other):
    return no(one[1]) == other[1] or no(one[1]) in other[0]


def accepted(every, strength):
    """The grounded extension; `strength` puts arguments in strict order."""
    by_head = {}
    for each in every:
        by_head.setdefault(each[1], []).append(each)
    defeaters = {}
    for each in every:
        targets = {no(each[1]), *map(no, each[0])}
        defeaters[each] = [
            one for head in targets for one in by_head.get(head, []) if strength(one) > strength(each)
        ]
        assert all(attacks(one, each) for one in defeaters[each])
    inside, outside = set(), set()
    while True:
        fresh = {a for a in every if a not in inside and all(d in outside for d in defeaters[a])}
        if not fresh:
            return inside
        inside |= fresh
        outside |= {a for a in every if any(d in inside for d in defeaters[a])}
