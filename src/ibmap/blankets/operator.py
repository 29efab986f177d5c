"""An independence-based algorithm, written once: what it asks next, and what it finds.

The paper's operator A takes the assertions made so far and gives the next
triplet, or, when they are enough, a structure. Run with a statistical test
that *is* the algorithm (`run`); run by a search that tries both answers of every
triplet it *is* the algorithm's closure (`ibmap.search.tree_search`).

The assertions so far are condensed into a *state*. Two rules make states safe to
merge, and every operator keeps them:

1. equal states have the same future: whatever is answered from here on, both ask
   the same triplets and find the same;
2. a triplet asserted already is not asked again: a closure is a set, so a
   repeated triplet keeps its value.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from ibmap.independence.protocol import IndependenceTest, Triplet

State = TypeVar("State", bound=Hashable)
Found = TypeVar("Found")
Found_co = TypeVar("Found_co", covariant=True)
Questions = Generator[Triplet, bool, Found]


class Operator(Protocol[State, Found_co]):
    """An algorithm as a function of the assertions so far."""

    def begin(self) -> State:
        """Give the state before any assertion."""
        ...

    def question(self, state: State) -> Triplet | None:
        """Give the next triplet to test, or None at the end."""
        ...

    def after(self, state: State, independent: bool) -> State:
        """Give the state after an answer."""
        ...

    def outcome(self, state: State) -> Found_co:
        """Tell what was found."""
        ...


def run(operator: Operator[State, Found], test: IndependenceTest) -> Found:
    """Run an algorithm to its end with the answers of a test."""
    question, after, ask = operator.question, operator.after, test.ask_triplet
    state = operator.begin()
    while (triplet := question(state)) is not None:
        state = after(state, ask(triplet).independent)
    return operator.outcome(state)


class Replayed(Generic[Found]):
    """An operator made of a generator: the quickest way to add an algorithm."""

    # The generator yields triplets, is sent answers and returns what it found. A state is the tuple of all
    # answers so far, so states are never merged. A generator cannot be copied: a state that does not
    # follow the last one is reached by running it again.

    def __init__(self, algorithm: Callable[[], Questions[Found]]) -> None:
        self._algorithm = algorithm
        self._state: tuple[bool, ...] = ()
        self._known: dict[Triplet, bool] = {}
        self._found: list[Found] = []
        self._triplet: Triplet | None = None
        self._restart()

    def begin(self) -> tuple[bool, ...]:
        """Give the state before any assertion."""
        return ()

    def question(self, state: tuple[bool, ...]) -> Triplet | None:
        """Tell what is asked next."""
        self._reach(state)
        return self._triplet

    def after(self, state: tuple[bool, ...], independent: bool) -> tuple[bool, ...]:
        """Give the state after an answer."""
        return (*state, independent)

    def outcome(self, state: tuple[bool, ...]) -> Found:
        """Tell what was found."""
        self._reach(state)
        return self._found[0]

    def play(self, answer: Callable[[Triplet], bool]) -> Found:
        """Run the generator once from beginning to end."""
        generator = self._algorithm()
        try:
            triplet = next(generator)
            while True:
                triplet = generator.send(answer(triplet))
        except StopIteration as end:
            found: Found = end.value
            return found

    def _reach(self, state: tuple[bool, ...]) -> None:
        """Bring the generator to where these answers lead."""
        if state[: len(self._state)] != self._state:
            self._restart()
        for independent in state[len(self._state) :]:
            assert self._triplet is not None, "more answers than questions"
            self._known[self._triplet.canonical()] = independent
            self._advance(independent)
        self._state = state

    def _restart(self) -> None:
        """Begin the generator anew."""
        self._state, self._known, self._found = (), {}, []
        self._generator = self._algorithm()
        self._advance(None)

    def _advance(self, answer: Any) -> None:
        """Send an answer, and whatever is known already, up to the next new question."""
        try:
            triplet = self._generator.send(answer)
            while (known := self._known.get(triplet.canonical())) is not None:
                triplet = self._generator.send(known)
        except StopIteration as end:
            self._triplet = None
            self._found = [end.value]
        else:
            self._triplet = triplet


class InTurn(Generic[State, Found]):
    """Independent operators, one after the other."""

    # A cost that adds up over assertions is then a sum over the parts, and the cheapest run of all is
    # made of the cheapest run of each: a search may take the parts one by one.

    def __init__(
        self, parts: Sequence[Operator[State, Any]], join: Callable[[tuple[Any, ...]], Found]
    ) -> None:
        self.parts, self.join = tuple(parts), join

    def begin(self) -> tuple[tuple[Any, ...], State | None]:
        """Give the state before any assertion."""
        return self._settled((), self.parts[0].begin() if self.parts else None)

    def question(self, state: tuple[tuple[Any, ...], State | None]) -> Triplet | None:
        """Tell what is asked next."""
        found, own = state
        return None if own is None else self.parts[len(found)].question(own)

    def after(
        self, state: tuple[tuple[Any, ...], State | None], independent: bool
    ) -> tuple[tuple[Any, ...], State | None]:
        """Give the state after an answer."""
        found, own = state
        assert own is not None, "there is no question to answer"
        return self._settled(found, self.parts[len(found)].after(own, independent))

    def outcome(self, state: tuple[tuple[Any, ...], State | None]) -> Found:
        """Tell what was found."""
        return self.join(state[0])

    def _settled(self, found: tuple[Any, ...], own: State | None) -> tuple[tuple[Any, ...], State | None]:
        """Pass on to the next part as long as the one at work has nothing to ask."""
        while own is not None and self.parts[len(found)].question(own) is None:
            found = (*found, self.parts[len(found)].outcome(own))
            own = self.parts[len(found)].begin() if len(found) < len(self.parts) else None
        return found, own
