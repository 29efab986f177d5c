"""Remember answers, count distinct questions."""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")
Key = tuple[int, int, tuple[int, ...]]


class Memo(Generic[Value]):
    """A bounded memory of answers that counts distinct questions exactly.

    Parameters
    ----------
    limit : int
        Answers kept; when full, the oldest go first. Keys are kept all, since
        they are what is counted.

    Examples
    --------
    >>> memo = Memo(limit=1)
    >>> memo.put((0, 1, ()), "first"); memo.put((0, 2, ()), "second")
    >>> memo.get((0, 1, ())) is None, memo.n_distinct
    (True, 2)
    """

    def __init__(self, limit: int = 1_000_000) -> None:
        self._limit = limit
        self._answers: dict[Key, Value] = {}
        self.keys: set[Key] = set()

    @property
    def n_distinct(self) -> int:
        """Number of different keys ever put."""
        return len(self.keys)

    def get(self, key: Key) -> Value | None:
        """Recall an answer.

        Parameters
        ----------
        key : tuple
            A canonical triplet.

        Returns
        -------
        object or None
            The answer, or None if it is not remembered.
        """
        return self._answers.get(key)

    def put(self, key: Key, answer: Value) -> None:
        """Remember an answer.

        Parameters
        ----------
        key : tuple
            A canonical triplet.
        answer : object
            Its answer.
        """
        self.keys.add(key)
        self._answers[key] = answer
        if len(self._answers) > self._limit:
            del self._answers[next(iter(self._answers))]

    def update(self, other: Memo[Value]) -> None:
        """Put what another remembers; answers that are remembered here stay.

        Parameters
        ----------
        other : Memo
            Remembers answers of the same kind.
        """
        for key, answer in other._answers.items():
            if key not in self._answers:
                self.put(key, answer)
        self.keys |= other.keys
