"""What every test of independence offers.

A test answers questions about *triplets*: is x independent of y given a set?
`IndependenceTest` takes names or numbers, puts the question in its canonical
form (so that every test is symmetric), remembers the answers, and counts the
distinct questions: the cost measure of the literature.

`ProbabilisticTest` adds what the IB-score needs: the posterior probability of
either answer.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple, Self

from ibmap.data.table import variable_index
from ibmap.errors import InvalidOptionError, StopSearch
from ibmap.independence.memo import Key, Memo

Variable = int | str


class Triplet(NamedTuple):
    """The question whether `x` is independent of `y` given a set of others."""

    x: int
    y: int
    given: tuple[int, ...]

    def canonical(self) -> Triplet:
        """Order the pair and the set, so that equal questions compare equal."""
        x, y = (self.x, self.y) if self.x < self.y else (self.y, self.x)
        return Triplet(x, y, tuple(sorted(self.given)))


class LogProbabilities(NamedTuple):
    """Natural logs of the posteriors of independence and of dependence."""

    independent: float
    dependent: float


class Answer(NamedTuple):
    """The outcome of a test."""

    # `log_support` is the log of what speaks for independence: its posterior probability, or the
    # p-value of a classical test.

    independent: bool
    log_support: float


class IndependenceTest(ABC):
    """A test of conditional independence among named variables."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._memo: Memo[Answer] = Memo()
        self.deadline: float | None = None  # by the monotonic clock: then questions raise `StopSearch`

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def n_tests(self) -> int:
        """Number of distinct questions asked so far."""
        return self._memo.n_distinct

    @property
    def asked(self) -> frozenset[Triplet]:
        """The distinct questions asked so far, in canonical form."""
        return frozenset(Triplet(*key) for key in self.asked_keys)

    @property
    def asked_keys(self) -> Set[Key]:
        """The same as plain tuples, at no cost however many there are."""
        return self._memo.keys

    def ask(self, x: Variable, y: Variable, given: Iterable[Variable] = ()) -> Answer:
        """Test one triplet.

        Parameters
        ----------
        x, y : int or str
            Two variables, by name or number.
        given : iterable of int or str
            The conditioning set.

        Returns
        -------
        Answer
            Verdict and support.
        """
        return self.ask_triplet(self.triplet(x, y, given))

    def is_independent(self, x: Variable, y: Variable, given: Iterable[Variable] = ()) -> bool:
        """Tell whether two variables are independent given a set.

        Parameters
        ----------
        x, y : int or str
            Two variables, by name or number.
        given : iterable of int or str
            The conditioning set.

        Returns
        -------
        bool
            The verdict of the test.
        """
        return self.ask(x, y, given).independent

    def triplet(self, x: Variable, y: Variable, given: Iterable[Variable] = ()) -> Triplet:
        """Put a question by names or numbers into its numbered form.

        Parameters
        ----------
        x, y : int or str
            Two variables.
        given : iterable of int or str
            The conditioning set.

        Returns
        -------
        Triplet
            In the order asked, with the set sorted and without repetitions.
        """
        numbers = self.given_set(given)
        result = Triplet(variable_index(self.names, x), variable_index(self.names, y), numbers)
        if result.x == result.y or result.x in numbers or result.y in numbers:
            msg = (
                f"a test needs two different variables outside the given ones; "
                f"asked for {x!r}, {y!r} given {[self.names[z] for z in result.given]}"
            )
            raise InvalidOptionError(msg)
        return result

    def given_set(self, given: Iterable[Variable] | Variable | None) -> tuple[int, ...]:
        """Number a conditioning set given by names or numbers.

        Parameters
        ----------
        given : iterable of int or str, int, str or None
            The set; a single variable is a set of one, None is the empty set.

        Returns
        -------
        tuple of int
            Sorted, without repetitions.
        """
        given = (given,) if isinstance(given, (str, int)) else () if given is None else given
        return tuple(sorted({variable_index(self.names, z) for z in given}))

    def ask_triplet(self, triplet: Triplet) -> Answer:
        """Answer a question whose set is sorted; remember and count it.

        Parameters
        ----------
        triplet : Triplet
            The question.

        Returns
        -------
        Answer
            Verdict and support.
        """
        x, y, given = triplet
        key = (x, y, given) if x < y else (y, x, given)
        answer = self._memo.get(key)
        if answer is None:
            self._check_time()
            answer = self._answer(triplet)
            self._memo.put(key, answer)
        return answer

    def ask_each(
        self, x: int, candidates: Sequence[int], given: tuple[int, ...], until_dependent: bool = False
    ) -> list[Answer]:
        """Test one variable against others in turn, given the same set: they share the work.

        Parameters
        ----------
        x : int
            The variable.
        candidates : sequence of int
            The others.
        given : tuple of int
            The conditioning set, sorted.
        until_dependent : bool
            Whether to stop at the first that is dependent.

        Returns
        -------
        list of Answer
            Of the candidates asked about; each counted as if it had been asked alone.
        """
        answers: list[Answer] = []
        fresh: deque[Answer] = deque()  # of this candidate and some of the next
        for k, y in enumerate(candidates):
            key = (x, y, given) if x < y else (y, x, given)
            answer = self._memo.get(key)
            if answer is None:
                if not fresh:
                    self._check_time()
                    fresh.extend(self._answer_each(x, candidates[k:], given, until_dependent))
                self._memo.put(key, answer := fresh.popleft())
            elif fresh:
                fresh.popleft()
            answers.append(answer)
            if until_dependent and not answer.independent:
                break
        return answers

    def apart(self) -> Self | None:
        """Give the same test with a memory of its own, for another thread.

        Returns
        -------
        IndependenceTest or None
            None if threads must not share what it works with.
        """
        return None

    def remember(self, other: Self) -> None:
        """Count what another has been asked as if it had been asked here.

        Parameters
        ----------
        other : IndependenceTest
            The same test with a memory of its own.
        """
        self._memo.update(other._memo)

    def _check_time(self) -> None:
        """End the search if its time is up."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise StopSearch

    def _answer_each(
        self, x: int, candidates: Sequence[int], given: tuple[int, ...], until_dependent: bool
    ) -> Sequence[Answer]:
        """Carry out the tests of the first candidates, at least one."""
        return [self._answer(Triplet(x, candidates[0], given))]

    @abstractmethod
    def _answer(self, triplet: Triplet) -> Answer:
        """Carry out the test."""


class ProbabilisticTest(IndependenceTest):
    """A test that knows the posterior probability of its verdict."""

    def log_probabilities(self, x: Variable, y: Variable, given: Iterable[Variable] = ()) -> LogProbabilities:
        """Give the log posteriors of independence and of dependence.

        Parameters
        ----------
        x, y : int or str
            Two variables, by name or number.
        given : iterable of int or str
            The conditioning set.

        Returns
        -------
        LogProbabilities
            The pair (log Pr(I | D), log Pr(not I | D)).
        """
        triplet = self.triplet(x, y, given)
        self.ask_triplet(triplet)
        return self.log_posteriors(triplet)

    @abstractmethod
    def log_posteriors(self, triplet: Triplet) -> LogProbabilities:
        """Give both log posteriors of a numbered triplet, without counting it.

        Parameters
        ----------
        triplet : Triplet
            The question.

        Returns
        -------
        LogProbabilities
            The pair (log Pr(I | D), log Pr(not I | D)).
        """
