"""The argumentative test of independence: tests that contradict each other are weighed as arguments.

F. Bromberg, D. Margaritis, "Improving the reliability of causal discovery from small data sets using
argumentation", JMLR 10, 2009. What tests say need not obey the rules that hold in every Markov network. An
*argument* is a set of propositions (its support) with what follows from them (its head): a proposition by
itself, or one application of a rule. It is preferred by the probability of its support, the product of the
posteriors of its propositions. Arguments *attack* those whose head, or one proposition of whose support,
their head denies; an attack by a preferred one *defeats*. An argument is accepted if none that defeats it
is. A proposition is believed if it is accepted as an argument for itself: this is true of exactly one of
independence and dependence, because preferences are put in strict order.

The rules are Pearl's axioms for undirected graphs, for single variables, and all that follows if they are
turned around: with Z any set,

- Strong Union: I(X,Y|Z) implies I(X,Y|Z+W)
- Transitivity: I(X,Y|Z) implies I(X,W|Z) or I(W,Y|Z)
- Intersection: I(X,Y|Z+W) and I(X,W|Z+Y) imply I(X,Y|Z), and so I(X,W|Z)

Symmetry holds by the way triplets are named; decomposition says nothing about single variables.

To accept an argument takes a look at those that defeat it, at those that defeat these, and so on: exact, and
exponential. The approximation begins with what the test itself says and looks at ever deeper levels, two
at a time, so that every attack can be answered, taking what lies beyond as accepted. When it has weighed
`max_arguments` it answers by the last level it finished; before that, it trusts the test.

Details left open, and the choices here: equal preferences (within 1e-9) go to the shorter support, then to
independence, then to the lower variables; W is one variable in Strong Union (`union="sets"`: any set); the
paper bounds the depth and the breadth of the search, we bound the work.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from itertools import combinations
from typing import Any, NamedTuple

from ibmap.independence.memo import Key
from ibmap.independence.protocol import Answer, IndependenceTest, ProbabilisticTest, Triplet
from ibmap.options import as_choice, as_count

MAX_ARGUMENTS = 1000
UNIONS = ("single", "sets")


class Proposition(NamedTuple):
    """A triplet, in canonical form, said to be independent or not."""

    triplet: Triplet
    independent: bool

    def denied(self) -> Proposition:
        """Give the opposite."""
        return Proposition(self.triplet, not self.independent)


class Argument(NamedTuple):
    """A set of propositions, in order, and what follows from them."""

    support: tuple[Proposition, ...]
    head: Proposition


class _BudgetError(Exception):
    """So many arguments have been weighed as may be."""


class ArgumentativeTest(IndependenceTest):
    """A test whose answers are defended, or corrected, by what other tests imply.

    The support it gives is that of the test it asks; where the answer was corrected, the probabilities of
    independence and dependence are exchanged.

    Parameters
    ----------
    test : ProbabilisticTest
        The test it asks; its distinct questions are counted.
    max_arguments : int or None
        Arguments weighed at most for one answer. None: no limit, which is exact, and for few variables only.
    union : {"single", "sets"}
        Strong Union adds one variable at a time, or any set of them.

    Examples
    --------
    >>> from ibmap.independence.separation import SeparationTest
    >>> from ibmap.graph import MarkovGraph
    >>> test = ArgumentativeTest(SeparationTest(MarkovGraph.from_edges(3, [(0, 1), (1, 2)])))
    >>> test.is_independent(0, 2), test.is_independent(0, 2, given=[1])
    (False, True)
    """

    def __init__(
        self, test: ProbabilisticTest, max_arguments: int | None = MAX_ARGUMENTS, union: str = "single"
    ) -> None:
        super().__init__(test.names)
        self.test = test
        self.max_arguments = (
            None if max_arguments is None else as_count(max_arguments, "max_arguments", low=1)
        )
        self.union = as_choice(union, "union", UNIONS)
        self.n_corrected = 0
        self._logs: dict[Proposition, float] = {}

    @property
    def n_tests(self) -> int:
        """Number of distinct questions that the test behind it was asked."""
        return self.test.n_tests

    @property
    def asked_keys(self) -> Set[Key]:
        """The distinct questions that the test behind it was asked."""
        return self.test.asked_keys

    def _answer(self, triplet: Triplet) -> Answer:
        triplet = triplet.canonical()
        own = self.test.ask_triplet(triplet)
        if self._is_accepted(Proposition(triplet, bool(own.independent))):
            return own
        self.n_corrected += 1
        return Answer(not own.independent, self.log(Proposition(triplet, False)))

    def log(self, proposition: Proposition) -> float:
        """Give the log posterior of a proposition."""
        if proposition not in self._logs:
            self.test.ask_triplet(proposition.triplet)
            independent, dependent = self.test.log_posteriors(proposition.triplet)
            self._logs[Proposition(proposition.triplet, True)] = independent
            self._logs[Proposition(proposition.triplet, False)] = dependent
        return self._logs[proposition]

    def preference(self, argument: Argument) -> tuple[float, int, bool, tuple[Any, ...]]:
        """Give what arguments are put in order by: the most preferred has the largest."""
        strength = round(math.fsum(map(self.log, argument.support)), 9)
        lower = tuple((-each.triplet.x, -each.triplet.y, each) for each in (*argument.support, argument.head))
        return strength, -len(argument.support), argument.head.independent, lower

    def arguments_for(self, head: Proposition) -> Iterator[Argument]:
        """List the arguments for a proposition: itself, and the rules that conclude it."""
        yield Argument((head,), head)
        (x, y, given), n = head.triplet, self.n_variables
        others = [w for w in range(n) if w not in (x, y) and w not in given]
        rules = _for_independence if head.independent else _for_dependence
        for support in rules(x, y, given, others, self.union == "sets"):
            yield Argument(tuple(sorted(support)), head)

    def _is_accepted(self, proposition: Proposition) -> bool:
        """Tell whether a proposition is accepted, level by level as far as the budget goes."""
        argument = Argument((proposition,), proposition)
        dispute = _Dispute(self, self.max_arguments)
        if self.max_arguments is None:
            return dispute.judge(argument, None)[0]
        accepted, depth = True, 2
        while True:
            try:
                accepted, is_exact = dispute.judge(argument, depth)
            except _BudgetError:
                return accepted
            if is_exact:
                return accepted
            depth += 2


class _Dispute:
    """All that is known about the arguments for and against one answer."""

    def __init__(self, test: ArgumentativeTest, budget: int | None) -> None:
        self._test, self._left = test, budget
        self._settled: dict[Argument, bool] = {}
        self._defeaters: dict[Argument, list[Argument]] = {}

    def judge(self, argument: Argument, depth: int | None) -> tuple[bool, bool]:
        """Tell whether an argument is accepted down to some depth, and whether that is final."""
        if argument in self._settled:
            return self._settled[argument], True
        if depth == 0:
            return True, False
        accepted, is_exact = True, True
        for each in self._defeats(argument):
            stands, is_sure = self.judge(each, None if depth is None else depth - 1)
            if stands:
                accepted, is_exact = False, is_sure
                break
            is_exact = is_exact and is_sure
        if is_exact:
            self._settled[argument] = accepted
        return accepted, is_exact

    def _defeats(self, argument: Argument) -> list[Argument]:
        """List what defeats an argument, the most preferred first."""
        if argument not in self._defeaters:
            own, found = self._test.preference(argument), []
            for each in sorted({argument.head, *argument.support}):
                for attack in self._test.arguments_for(each.denied()):
                    self._spend()
                    preference = self._test.preference(attack)
                    if preference > own:
                        found.append((preference, attack))
            self._defeaters[argument] = [attack for _, attack in sorted(found, reverse=True)]
        return self._defeaters[argument]

    def _spend(self) -> None:
        """Count an argument weighed."""
        if self._left is not None:
            if not self._left:
                raise _BudgetError
            self._left -= 1


def _said(x: int, y: int, given: tuple[int, ...], independent: bool) -> Proposition:
    return Proposition(Triplet(x, y, given).canonical(), independent)


def _without(given: tuple[int, ...], *left_out: int) -> tuple[int, ...]:
    return tuple(z for z in given if z not in left_out)


def _parts(variables: list[int] | tuple[int, ...], is_any_set: bool) -> Iterator[tuple[int, ...]]:
    """List single variables, or all sets of them that are not empty."""
    for size in range(1, len(variables) + 1 if is_any_set else 2):
        yield from combinations(variables, size)


def _for_independence(
    x: int, y: int, given: tuple[int, ...], others: list[int], is_any_set: bool
) -> Iterator[list[Proposition]]:
    """List what implies that x and y are independent."""
    for part in _parts(given, is_any_set):  # strong union
        yield [_said(x, y, _without(given, *part), True)]
    for w in others:
        for a, b in ((x, y), (y, x)):
            yield [_said(a, w, given, True), _said(w, b, given, False)]  # transitivity
            yield [_said(a, b, (*given, w), True), _said(a, w, (*given, b), True)]  # intersection


def _for_dependence(
    x: int, y: int, given: tuple[int, ...], others: list[int], is_any_set: bool
) -> Iterator[list[Proposition]]:
    """List what implies that x and y are dependent."""
    for part in _parts(others, is_any_set):  # strong union
        yield [_said(x, y, (*given, *part), False)]
    for w in others:  # transitivity
        yield [_said(x, w, given, False), _said(w, y, given, False)]
    for w in given:  # intersection
        rest = _without(given, w)
        for a, b in ((x, y), (y, x)):
            yield [_said(a, b, rest, False), _said(a, w, (*rest, b), True)]
            yield [_said(a, w, rest, False), _said(a, w, (*rest, b), True)]
