"""GS and GSMN: blankets by growing and shrinking, joined to a graph.

**Why equal states have the same future.** While growing, a state holds the
members and where the pass stands: all that the rest of the run depends on, but for
the triplets that may come up again. Every triplet of the shrink phase is
(X, y | M - y) for a member y of the members M of that moment, and M only
becomes smaller. So an assertion about (y, Z) can come up again only if y and all
of Z are still members. Those assertions, and no others, are in the state of the
shrink phase. Where a pass of it began does not matter: a member is not asked
again given the same others, so it asks round and round, each member once, until
all are dependent given the others as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ibmap.blankets.joining import RULES, join_blankets
from ibmap.blankets.operator import InTurn
from ibmap.graph import MarkovGraph
from ibmap.independence.protocol import IndependenceTest, Triplet
from ibmap.options import as_choice
from ibmap.ties import order_with_ties

GROW = ("once", "repeat")
ORDERS = ("association", "columns")


class Growing(NamedTuple):
    """The grow phase: which candidate is asked next, given which members."""

    # `unasked` candidates are left in the pass (``grow="once"``) or have not been asked given these
    # members (``"repeat"``). `given` are the members, sorted. `refused` lists for ``"repeat"`` who was
    # found independent, and given the first how many members.

    position: int
    unasked: int
    members: tuple[int, ...]
    given: tuple[int, ...]
    refused: tuple[tuple[int, int], ...]


class Shrinking(NamedTuple):
    """The shrink phase: which member is asked next, given which others."""

    # `known` holds what is asserted already and may come up again: a member, others it was tested
    # given, and whether it was independent.

    position: int
    members: tuple[int, ...]
    others: tuple[int, ...]
    known: frozenset[tuple[int, tuple[int, ...], bool]]


class Done(NamedTuple):
    """The end: the blanket in order of inclusion."""

    members: tuple[int, ...]


Phase = Growing | Shrinking | Done


class GrowShrink:
    """The Markov blanket of one variable (Margaritis and Thrun's GS), as an operator."""

    def __init__(self, x: int, candidates: Sequence[int], grow: str = "once") -> None:
        self.x, self.candidates, self.grow = x, tuple(candidates), grow
        self._repeats = grow == "repeat"

    def begin(self) -> Phase:
        """Give the state before any assertion."""
        return self._growing(0, len(self.candidates), (), (), ())

    def question(self, state: Phase) -> Triplet | None:
        """Tell what is asked next."""
        if type(state) is Growing:
            return Triplet(self.x, self.candidates[state.position], state.given)
        if type(state) is Shrinking:
            return Triplet(self.x, state.members[state.position], state.others)
        return None

    def after(self, state: Phase, independent: bool) -> Phase:
        """Give the state after an answer."""
        if type(state) is Growing:
            return self._grow(state, independent)
        assert type(state) is Shrinking, "there is no question to answer"
        position, members, others, known = state
        answered = known | {(members[position], others, independent)}
        return _shrinking(position, members, answered)

    def outcome(self, state: Phase) -> tuple[int, ...]:
        """Give the blanket."""
        return state.members

    def upcoming(self, state: Phase) -> tuple[int, ...]:
        """List who would be asked next given the same set, were all independent."""
        if type(state) is Shrinking:
            return (state.members[state.position],)
        assert type(state) is Growing, "there is no question"
        later = self.candidates[state.position :]
        if self._repeats:
            later = tuple(y for y in later if y not in state.members)
        return later[: state.unasked]

    def _grow(self, state: Growing, independent: bool) -> Phase:
        """Take the answer about a candidate."""
        position, unasked, members, given, refused = state
        if independent and unasked > 1 and not self._repeats:  # by far the most frequent
            return Growing(position + 1, unasked - 1, members, given, refused)
        y = self.candidates[position]
        if independent:
            refused = (*refused, (y, len(members))) if self._repeats else refused
            return self._growing(position + 1, unasked - 1, members, given, refused)
        members, given = (*members, y), tuple(sorted((*given, y)))
        unasked = len(self.candidates) - len(members) if self._repeats else unasked - 1
        return self._growing(position + 1, unasked, members, given, refused)

    def _growing(
        self,
        position: int,
        unasked: int,
        members: tuple[int, ...],
        given: tuple[int, ...],
        refused: tuple[tuple[int, int], ...],
    ) -> Phase:
        """Go on to the next candidate outside the blanket, or to the shrink phase."""
        if not unasked:
            return _begin_shrinking(members, refused)
        if self._repeats:
            position %= len(self.candidates)
            while self.candidates[position] in members:
                position = (position + 1) % len(self.candidates)
        return Growing(position, unasked, members, given, refused)


def _begin_shrinking(members: tuple[int, ...], refused: tuple[tuple[int, int], ...]) -> Phase:
    """Collect what the grow phase asserted about the members."""
    known = {(y, tuple(sorted(members[:k])), False) for k, y in enumerate(members)}
    known |= {(y, tuple(sorted(members[:k])), True) for y, k in refused if y in members}
    return _shrinking(0, members, frozenset(known))


def _shrinking(
    position: int, members: tuple[int, ...], known: frozenset[tuple[int, tuple[int, ...], bool]]
) -> Phase:
    """Go round the members to the next that is not asserted given the others; drop the independent."""
    n_dependent = 0
    while n_dependent < len(members):
        position %= len(members)
        y = members[position]
        others = tuple(sorted(members[:position] + members[position + 1 :]))
        if (y, others, True) in known:
            members = members[:position] + members[position + 1 :]
            known = frozenset(fact for fact in known if fact[0] in members and set(fact[1]) <= set(members))
            n_dependent = 0
        elif (y, others, False) in known:
            position += 1
            n_dependent += 1
        else:
            return Shrinking(position, members, others, known)
    return Done(members)


def association_order(test: IndependenceTest, x: int) -> list[int]:
    """Order the other variables, the most dependent on `x` first."""
    others = [y for y in range(test.n_variables) if y != x]
    supports = [answer.log_support for answer in test.ask_each(x, others, ())]
    return [others[k] for k in order_with_ties(np.array(supports))]


def grow_shrink(test: IndependenceTest, x: int, grow: str = "once", order: str = "association") -> GrowShrink:
    """Make the operator that finds the blanket of one variable."""
    if order == "association":
        return GrowShrink(x, association_order(test, x), grow)
    return GrowShrink(x, [y for y in range(test.n_variables) if y != x], grow)


def gsmn_operator(
    test: IndependenceTest, *, rule: str = "or", grow: str = "once", order: str = "association"
) -> InTurn[Phase, MarkovGraph]:
    """Make the operator that finds a structure as GSMN does."""
    check_choices(rule, grow, order)
    parts = [grow_shrink(test, x, grow, order) for x in range(test.n_variables)]
    return InTurn(parts, lambda found: join_blankets(found, test.names, rule))


def check_choices(rule: str, grow: str, order: str) -> None:
    """Refuse options that GSMN does not have."""
    as_choice(rule, "rule", RULES)
    as_choice(grow, "grow", GROW)
    as_choice(order, "order", ORDERS)
