"""Blocks of a value that is too large for any one worker: each block has one owner.

A call goes to each owner, which has its blocks at hand, in one message. If an owner dies, its blocks are
brought to others, and only those are asked again; a worker that joins takes blocks over from the others.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ibmap.errors import ClusterError
from ibmap.pools.cluster import TICK, ClusterPool, key_of
from ibmap.pools.versions import check_version, versions_here

if TYPE_CHECKING:
    from distributed import Future

Found = TypeVar("Found")

MOST_LOSSES = 4  # of one block, between two answers: then it is the block that ends its owners
PER_THREAD = 2  # blocks for each thread, so that workers that join later can take some


class _Own(NamedTuple):
    """A block at its owner."""

    worker: str
    future: Future[Any]


class Shards:
    """Blocks, numbered from 0, that the workers of a pool own."""

    def __init__(self, pool: ClusterPool, make: Callable[[int], Any], n_blocks: int) -> None:
        self._pool, self._make, self.n_blocks = pool, make, n_blocks
        self._own: dict[int, _Own] = {}
        self._n_lost = Counter[int]()

    def ask(self, call: Callable[..., Found], *arguments: Any) -> list[Found]:
        """Call once for each owner, with a list of its blocks; give the answers in any order."""
        left, found, is_lost = {*range(self.n_blocks)}, list[Found](), False
        while left:
            self._place(self._pool.workers(is_lost))
            for blocks, answer in self._answers(self._submit(call, left, arguments)):
                found.append(answer)
                left -= {*blocks}
            is_lost = bool(left)
            self._note_lost(left)
        self._n_lost.clear()
        return found

    def close(self) -> None:
        """Let the workers forget the blocks."""
        self._own.clear()

    def _submit(
        self, call: Callable[..., Any], left: Iterable[int], arguments: tuple[Any, ...]
    ) -> dict[Future[Any], tuple[str, list[int]]]:
        """Ask the owners of some blocks, one call for each of their threads."""
        threads, owned = self._pool.workers(), defaultdict[str, list[int]](list)
        version = versions_here()["ibmap"]
        for block in sorted(left):
            if block in self._own:
                owned[self._own[block].worker].append(block)
        asked = {}
        for worker, blocks in owned.items():
            n_parts = min(threads.get(worker, 1), len(blocks))
            for part in (blocks[k::n_parts] for k in range(n_parts)):
                values = [self._own[block].future for block in part]
                future = self._pool.submit(
                    _at_owner, version, call, values, *arguments, key=key_of(call), workers=[worker]
                )
                asked[future] = worker, part
        return asked

    def _answers(self, asked: dict[Future[Any], tuple[str, list[int]]]) -> list[tuple[list[int], Any]]:
        """Wait until every owner has answered or is gone; give what was answered, by blocks."""
        waiting = {*asked}
        while waiting:
            with suppress(TimeoutError, CancelledError):
                self._pool.wait([*waiting], TICK)
            alive = self._pool.workers(is_lost=True) if any(_is_open(each) for each in waiting) else {}
            waiting = {each for each in waiting if _is_open(each) and asked[each][0] in alive}
        done = [each for each in asked if each.status in ("finished", "error")]
        try:
            return [
                (asked[each][1], answer) for each, answer in zip(done, self._pool.gather(done), strict=True)
            ]
        except CancelledError:  # an owner died after it had answered
            return []

    def _note_lost(self, left: Iterable[int]) -> None:
        """Count how often blocks were lost; end if the same ones were again and again."""
        for block in left:
            if block not in self._own:  # it could not be brought
                time.sleep(TICK / 10)
                continue
            self._n_lost[block] += 1
            if self._n_lost[block] >= MOST_LOSSES:
                msg = f"{MOST_LOSSES} workers in a row died with the same block of rows; they may have too "
                msg += "little memory for it: use more workers, or larger ones"
                raise ClusterError(msg)

    def _place(self, workers: dict[str, int]) -> None:
        """Bring blocks without an owner to those who have fewest, then even out."""
        self._own = {
            k: own
            for k, own in self._own.items()
            if own.worker in workers and own.future.status == "finished"
        }
        load = Counter(dict.fromkeys(workers, 0))
        load.update(own.worker for own in self._own.values())

        def share(worker: str, more: int) -> float:
            return (load[worker] + more) / workers[worker]

        for block in range(self.n_blocks):
            if block not in self._own:
                self._bring(block, min(workers, key=lambda each: share(each, 1)), load)
        while True:
            most, least = max(workers, key=lambda w: share(w, 0)), min(workers, key=lambda w: share(w, 1))
            owned = [k for k, own in self._own.items() if own.worker == most]
            if share(most, 0) <= share(least, 1) or not owned:
                return
            load[most] -= 1
            self._bring(max(owned), least, load)

    def _bring(self, block: int, worker: str, load: Counter[str]) -> None:
        """Send a block to a worker; one that died meanwhile is noticed when it is asked."""
        load[worker] += 1
        self._own.pop(block, None)
        future = self._pool.bring(self._make(block), worker)
        if future is not None:
            self._own[block] = _Own(worker, future)


def _is_open(future: Future[Any]) -> bool:
    """Tell whether an answer is still to come."""
    return future.status == "pending"


def _at_owner(version: str, call: Callable[..., Found], blocks: list[Any], *arguments: Any) -> Found:
    """Make a call, on a worker."""
    check_version(version)
    return call(blocks, *arguments)
