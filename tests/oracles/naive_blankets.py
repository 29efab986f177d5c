"""GSMN*, GSIMN, IAMB and HITON step by step, and what assertions imply by the rules as they stand."""

import itertools

from oracles import naive

TOLERANCE = 1e-9


def all_triplets(n):
    """Every canonical triplet of n variables."""
    for x, y in naive.pairs(n):
        others = [z for z in range(n) if z not in (x, y)]
        for size in range(len(others) + 1):
            for given in itertools.combinations(others, size):
                yield x, y, given


def implied(facts, n):
    """Apply Strong Union, the triangle rules and their contrapositives until nothing new follows.

    Answers of a test may contradict each other. All dependences that follow from dependences come
    first, then independences that contradict none of them; what was answered itself stays as it is.
    """
    known = closed({t: False for t, answer in facts.items() if not answer}, dependence_follows, n)
    known.update({t: True for t, answer in facts.items() if answer and t not in known})
    return {**closed(known, independence_follows, n), **facts}


def closed(known, follows, n):
    """Add what follows by a rule until nothing new does."""
    known, everything, is_new = dict(known), list(all_triplets(n)), True

    def get(x, y, given):
        return known.get(naive.triplet(x, y, given))

    while is_new:
        is_new = False
        for x, y, given in everything:
            if (x, y, given) not in known and follows(get, x, y, set(given), n):
                known[x, y, given] = follows is independence_follows
                is_new = True
    return known


def answered(get, a, b, n, answer):
    """The sets given which two variables have this answer."""
    around = [set(c) for k in range(n) for c in itertools.combinations(range(n), k)]
    return [z for z in around if not {a, b} & z and get(a, b, z) is answer]


def dependence_follows(get, x, y, given, n):
    """One step: Strong Union backwards, or the first triangle rule with it."""
    if any(z >= given for z in answered(get, x, y, n, False)):
        return True
    return any(
        (z1 & z2) >= given
        for w in set(range(n)) - {x, y} - given
        for z1 in answered(get, x, w, n, False)
        for z2 in answered(get, w, y, n, False)
    )


def independence_follows(get, x, y, given, n):
    """One step: Strong Union, or the second triangle rule with it."""
    if any(z <= given for z in answered(get, x, y, n, True)):
        return True
    return any(
        z1 <= given and z2 >= z1
        for w in set(range(n)) - {x, y} - given
        for a, b in ((x, y), (y, x))
        for z1 in answered(get, a, w, n, True)
        for z2 in answered(get, w, b, n, False)
    )


def ranked(values):
    """Positions by increasing value; those within the tolerance of the first of their run by position."""
    return naive.order_by_association(dict(enumerate(values)))


def gsmn_star(ask, log_support, n, infer=None, note=None):  # noqa: PLR0912 - as the paper lists it
    """GSMN*; with `infer` and `note`, GSIMN."""
    support = {(x, y): log_support(x, y, ()) for x in range(n) for y in range(n) if x != y}
    averages = [sum(support[x, y] for y in range(n) if y != x) / max(n - 1, 1) for x in range(n)]
    to_visit = ranked(averages)
    order = {x: naive.order_by_association({y: support[x, y] for y in range(n) if y != x}) for x in range(n)}
    blankets = {}

    def decide(x, y, given):
        known = infer(x, y, given) if infer else None
        if known is None:
            known = ask(x, y, given)
            if note:
                note(x, y, given, known)
        return known

    while to_visit:
        x = to_visit.pop(0)
        queue = list(order[x])
        for claims in (True, False):
            for y in [y for y in queue if y in blankets and (x in blankets[y]) == claims]:
                queue.remove(y)
                queue.append(y)
        members = []
        for y in queue:
            if y in blankets:
                if x in blankets[y]:
                    members.append(y)
                continue
            is_unconditional = ask(x, y, ())
            if note:
                note(x, y, (), is_unconditional)
            if is_unconditional or decide(x, y, tuple(sorted(members))):
                continue
            for w in [x, *reversed(members)]:
                order[y].remove(w)
                order[y].insert(0, w)
            members.append(y)
        for w in reversed(members):
            if w in to_visit:
                to_visit.remove(w)
                to_visit.insert(0, w)
                break
        for y in list(reversed(members)):
            rest = tuple(sorted(z for z in members if z != y))
            if y not in blankets and decide(x, y, rest):
                members.remove(y)
        blankets[x] = set(members)
    assert all((x in blankets[y]) == (y in blankets[x]) for x in range(n) for y in range(n) if x != y)
    return {frozenset((x, y)) for x in blankets for y in blankets[x]}


def gsimn(ask, log_support, n):
    """GSMN* that looks up what the rules imply before it asks."""
    facts = {}
    return gsmn_star(
        ask,
        log_support,
        n,
        infer=lambda x, y, given: implied(facts, n).get(naive.triplet(x, y, given)),
        note=lambda x, y, given, answer: facts.__setitem__(naive.triplet(x, y, given), answer),
    )


def joined(blankets, rule):
    """Join blankets by the OR or the AND rule."""
    needed = 1 if rule == "or" else 2
    return {
        frozenset((x, y))
        for x, y in naive.pairs(len(blankets))
        if (y in blankets[x]) + (x in blankets[y]) >= needed
    }


def iamb(ask, log_support, n, rule="or"):
    """Add the most dependent until none is; then drop who is independent given the others."""
    blankets = []
    for x in range(n):
        members = []
        while True:
            given = tuple(members)
            left = {y: log_support(x, y, given) for y in range(n) if y != x and y not in members}
            left = {y: value for y, value in left.items() if not ask(x, y, given)}
            if not left:
                break
            members.append(naive.order_by_association(left)[0])
        for y in list(members):
            if ask(x, y, [z for z in members if z != y]):
                members.remove(y)
        blankets.append(members)
    return joined(blankets, rule)


def hiton(ask, log_support, n, rule="and", max_given=3):
    """Keep who depends on x given every subset of the others kept, of limited size."""
    blankets = []
    for x in range(n):
        order = naive.order_by_association({y: log_support(x, y, ()) for y in range(n) if y != x})
        members = []
        for y in order:
            if ask(x, y, ()):
                continue
            members.append(y)
            for z in [y, *[m for m in members if m != y]]:
                others = [w for w in members if w != z]
                limit = len(others) if max_given is None else max_given
                subsets = [c for k in range(1, limit + 1) for c in itertools.combinations(others, k)]
                if any(ask(x, z, c) for c in subsets):
                    members.remove(z)
                    if z == y:
                        break
        blankets.append(members)
    return joined(blankets, rule)
