"""Remember answers, count distinct questions."""

from __future__ import annotations

from itertools import islice
from typing import Generic, TypeVar

Value = TypeVar("Value")
Key = tuple[int, int, tuple[int, ...]]


class Memo(Generic[Value]):
    """A bounded memory of answers that counts distinct questions exactly."""

    def __init__(self, limit: int = 1_000_000) -> None:
        self._limit = limit
        self._answers: dict[Key, Value] = {}
        self.keys: set[Key] = set()

    @property
    def n_distinct(self) -> int:
        """Number of different keys ever put."""
        return len(self.keys)

    def get(self, key: Key) -> Value | None:
        """Recall an answer."""
        return self._answers.get(key)

    def put(self, key: Key, answer: Value) -> None:
        """Remember an answer."""
        self.keys.add(key)
        self._answers[key] = answer
        if len(self._answers) > self._limit:
            # The older half at once: a dictionary finds its first key the slower the more were deleted.
            self._answers = dict(islice(self._answers.items(), (self._limit + 1) // 2, None))

    def update(self, other: Memo[Value]) -> None:
        """Put what another remembers; answers that are remembered here stay."""
        for key, answer in other._answers.items():
            if key not in self._answers:
                self.put(key, answer)
        self.keys |= other.keys
