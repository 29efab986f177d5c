"""HITON: neighbours are those that no subset of the other neighbours separates (Aliferis and others).

In a Markov network the blanket of a variable is the set of its neighbours, so
HITON-PC, made for parents and children, finds the blanket itself: there are no
spouses to add. Its answers for two variables are joined by the AND rule, which is
its symmetry correction, or by OR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

from ibmap.blankets.grow_shrink import association_order
from ibmap.blankets.joining import RULES, each_blanket, join_blankets
from ibmap.graph import MarkovGraph
from ibmap.independence.protocol import IndependenceTest, Triplet
from ibmap.options import as_choice, as_count
from ibmap.progress import Monitor

MAX_GIVEN = 3  # variables a test is given at most; all subsets would take exponential time


def hiton_blanket(test: IndependenceTest, x: int, max_given: int | None = MAX_GIVEN) -> tuple[int, ...]:
    """Find the neighbours of one variable with HITON-PC."""
    # Candidates dependent unconditionally join by decreasing association. Whenever one does, it and
    # then the earlier members are tested given every subset of the others that was not tried before,
    # the smaller first; one that is independent given any of them leaves for good.
    members: list[int] = []
    for y in association_order(test, x):
        if test.ask_triplet(Triplet(x, y, ())).independent:
            continue
        if _is_separated(test, x, y, _subsets(members, max_given)):
            continue
        for z in tuple(members):
            others = [w for w in members if w != z]
            if _is_separated(test, x, z, _subsets_with(y, others, max_given)):
                members.remove(z)
        members.append(y)
    return tuple(members)


def _subsets(variables: Sequence[int], max_size: int | None) -> Iterator[tuple[int, ...]]:
    """List the subsets, but for the empty one, the smaller first."""
    last = len(variables) if max_size is None else min(max_size, len(variables))
    for size in range(1, last + 1):
        yield from combinations(variables, size)


def _subsets_with(y: int, variables: Sequence[int], max_size: int | None) -> Iterator[tuple[int, ...]]:
    """List the subsets that contain one more variable, the smaller first."""
    last = len(variables) if max_size is None else min(max_size - 1, len(variables))
    for size in range(last + 1):
        for subset in combinations(variables, size):
            yield (*subset, y)


def _is_separated(test: IndependenceTest, x: int, y: int, subsets: Iterator[tuple[int, ...]]) -> bool:
    """Tell whether two variables are independent given any of some sets."""
    return any(test.ask_triplet(Triplet(x, y, tuple(sorted(given)))).independent for given in subsets)


def hiton(
    test: IndependenceTest,
    *,
    rule: str = "and",
    max_given: int | None = MAX_GIVEN,
    deadline: float | None = None,
    monitor: Monitor | None = None,
    n_threads: int = 1,
) -> MarkovGraph:
    """Learn a structure by joining the HITON neighbours of all variables."""
    as_choice(rule, "rule", RULES)
    if max_given is not None:
        as_count(max_given, "max_given")
    find = partial(hiton_blanket, max_given=max_given)
    found = each_blanket(find, test, deadline, monitor, n_threads)
    return join_blankets(found, test.names, rule)
