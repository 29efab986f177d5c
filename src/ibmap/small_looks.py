"""Looks at binary blankets of at most seven members: each one compiled call, several at once.

See `ibmap.kernels.small_look`. A `Desk` has room for some looks; a `Crew` has threads that take part in
those at its desk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Condition, Thread
from types import TracebackType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.binary_rows import BinaryColumns
from ibmap.kernels.compiling import IS_COMPILED
from ibmap.kernels.small_layout import MANY_MEMBERS, N_CUTS, N_KEYS, N_QUARTERS
from ibmap.kernels.small_look import IS_OVER, LINE, N_PARTS, PART, Data, Room, find_parts, look
from ibmap.sharing import Call, behind
from ibmap.slice_logs import SliceLogs, n_patterns, pattern_starts

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
MOST_MEMBERS = 7  # with X a byte for each row
AT_ONCE = -1  # patience of who only offers looks
PATIENCE = 20_000  # times a helper finds nothing to do before it sleeps: under a millisecond


class SmallLooks:
    """Looks at the small blankets of a table.

    Parameters
    ----------
    columns : BinaryColumns
        The data, columns that vary alone.
    tables : tuple of tuple of ndarray
        Tables of Bayes factors: logs, factors of small slices, scaled factors of large ones.
    priors : ndarray
        For each size of blanket the prior of a slice, in rows from two members less to one more.
    slice_logs : SliceLogs
        Tabulates what tiny slices add.
    """

    def __init__(
        self,
        columns: BinaryColumns,
        tables: tuple[tuple[Floats, ...], ...],
        priors: Floats,
        slice_logs: SliceLogs,
    ) -> None:
        logs, smalls, scaled = tables
        self._slice_logs = slice_logs
        self._n_tabulated = 0
        self._desks: list[Desk] = []
        self._data = Data(
            columns=columns.states,
            row_bits=columns.row_bits,
            weights=columns.weights,
            is_weighted=columns.is_weighted,
            logs=logs,
            smalls=smalls,
            scaled=scaled,
            priors=priors,
            patterns=np.zeros((MOST_MEMBERS + 1 - MANY_MEMBERS, n_patterns())),
            pattern_starts=pattern_starts(),
            parts=find_parts(),
        )

    def look(self, x: int, members: Sequence[int] | Integers) -> Floats:
        """Look at the changes of a blanket; threads may do so at once.

        Parameters
        ----------
        x : int
            The variable.
        members : sequence of int
            The members of its blanket, at most seven, sorted.

        Returns
        -------
        ndarray of shape (n_variables,)
            Terms: entry y for the blanket with y flipped, entry x for the blanket as it is.
        """
        self.tabulate(len(members))
        try:
            desk = self._desks.pop()
        except IndexError:  # all are in use
            desk = Desk(self._data, 1)
        terms: Floats = desk.look([Request(x, members)])[0]
        self._desks.append(desk)
        return terms

    def crew(self, n_threads: int) -> Crew:
        """Make threads that look together.

        Parameters
        ----------
        n_threads : int
            All threads, the caller's included.

        Returns
        -------
        Crew
            To be used in a ``with`` statement.
        """
        return Crew(self._data, n_threads, self.tabulate)

    def tabulate(self, n_members: int) -> None:
        """Make the tables that looks at blankets of so many members need.

        Parameters
        ----------
        n_members : int
            At most seven.
        """
        for size in range(MANY_MEMBERS + self._n_tabulated, n_members + 1):
            _, odds, unseen, _ = self._data.priors[size, 3]
            self._data.patterns[size - MANY_MEMBERS] = self._slice_logs.given(odds, unseen)
            self._n_tabulated = size + 1 - MANY_MEMBERS


class Request(NamedTuple):
    """A look asked for: the variable, and the members of its blanket, at most seven, sorted."""

    x: int
    members: Sequence[int] | Integers


class Desk:
    """Room for some looks at once.

    Parameters
    ----------
    data : Data
        The table.
    n_looks : int
        How many at most.
    """

    def __init__(self, data: Data, n_looks: int) -> None:
        self.n_looks = n_looks
        self._data = data
        self._rooms = make_rooms(data, n_looks)
        self._board = np.zeros(PART + LINE * n_looks, np.int64)
        self._board[PART::LINE] = N_PARTS

    def look(self, requests: Sequence[Request], beside: Call | None = None) -> Floats:
        """Look at the changes of some blankets, together with those who help.

        Parameters
        ----------
        requests : sequence of Request
            As many as there is room for at most.
        beside : callable, optional
            Called while others begin.

        Returns
        -------
        ndarray of shape (n_requests, n_variables)
            Terms: entry y for the blanket with y flipped, entry x for the blanket as it is.
        """
        for line, (x, members) in zip(self._rooms.request, requests, strict=False):
            line[0], line[1], line[2 : 2 + len(members)] = x, len(members), members
        n, place = len(requests), (self._data, self._rooms, self._board)
        if beside is None:
            look(n, n, 0, *place)
        else:
            look(n, 0, AT_ONCE, *place)
            beside()
            look(0, n, 0, *place)
        terms: Floats = self._rooms.result[: len(requests)].copy()
        return terms

    def help(self) -> None:
        """Take part in looks, until there have been none for a while."""
        look(0, 0, PATIENCE, self._data, self._rooms, self._board)

    def close(self) -> None:
        """Let everyone go home."""
        self._board[IS_OVER] = 1


class Crew:
    """Threads that look at blankets together: the caller's own, and helpers that wait for it.

    Use it in a ``with`` statement, which ends the helpers.

    Parameters
    ----------
    data : Data
        The table.
    n_threads : int
        All threads, the caller's included. Kernels that are not compiled run in the caller's.
    prepare : callable
        Called with the number of members of every blanket before it is looked at.
    """

    def __init__(self, data: Data, n_threads: int, prepare: Callable[[int], None]) -> None:
        self._prepare = prepare
        self._desk = Desk(data, max(2, n_threads))
        self._awake = Condition()
        self._n_asleep, self._is_over = 0, False
        self._error: BaseException | None = None
        n_helpers = n_threads - 1 if IS_COMPILED else 0
        self._threads = [Thread(target=self._help, daemon=True) for _ in range(n_helpers)]

    def __enter__(self) -> Crew:
        """Start the helpers, and give the crew."""
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError:  # there are too many threads
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the helpers."""
        self._close()

    def _close(self) -> None:
        """End the helpers that were started; there are no more looks."""
        self._desk.close()
        with self._awake:
            self._is_over = True
            self._awake.notify_all()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def look(self, requests: Sequence[Request], beside: Call | None = None) -> list[Floats]:
        """Look at the changes of some blankets.

        Parameters
        ----------
        requests : sequence of Request
            Any number.
        beside : callable, optional
            Called once, while helpers begin if there are any.

        Returns
        -------
        list of ndarray
            As `Desk.look` gives them, one for each request.

        Raises
        ------
        RuntimeError
            If the crew has ended, or something has failed before.
        """
        if self._is_over:
            msg = "the threads of this crew have ended"
            raise RuntimeError(msg)
        try:
            return self._look(requests, beside)
        except BaseException:  # helpers may be at it still
            self._close()
            raise

    def _look(self, requests: Sequence[Request], beside: Call | None) -> list[Floats]:
        """Look at the changes of some blankets, as many at a time as there is room for."""
        for request in requests:
            self._prepare(len(request.members))
        if beside is not None and (not requests or not self._threads):
            beside()
            beside = None
        terms: list[Floats] = []
        for first in range(0, len(requests), self._desk.n_looks):
            self._wake()
            terms.extend(self._desk.look(requests[first : first + self._desk.n_looks], beside))
            beside = None
            if self._error is not None:
                raise behind(self._error)
        return terms

    def _wake(self) -> None:
        """Wake the helpers that sleep; others see for themselves that there is something to do."""
        if self._n_asleep:
            with self._awake:
                self._awake.notify_all()

    def _help(self) -> None:
        """Take part until all is over, and sleep when there is nothing to do."""
        try:
            while not self._is_over:
                self._desk.help()
                with self._awake:
                    if not self._is_over:
                        self._n_asleep += 1
                        self._awake.wait()
                        self._n_asleep -= 1
        except BaseException as error:  # raised where the looks were asked for
            self._error = error
            self._desk.close()


def make_rooms(data: Data, n_looks: int) -> Room:
    """Make room for looks, as much as any may need.

    Parameters
    ----------
    data : Data
        The table.
    n_looks : int
        How many there are at once.

    Returns
    -------
    Room
        Its arrays have a first axis for the looks.
    """
    n, n_rows = data.columns.shape
    n_keys, n_planes = min(N_KEYS, n_rows), max(int(data.weights.max(initial=1)).bit_length(), 1)
    n_slots = sum(np.count_nonzero(data.weights >> plane & 1) for plane in range(n_planes))
    n_words = n_slots // 64 + (2 * n_planes + 1) * n_keys + 2
    sizes = np.zeros((n_looks, N_KEYS + 1, 2), np.int32)
    ones = np.zeros((n_looks, 2 * n * (n_keys + 1)), np.int32)
    return Room(
        request=np.zeros((n_looks, 2 + MOST_MEMBERS), np.int64),
        outside=np.zeros((n_looks, n), np.int64),
        groups=np.zeros((n_looks, n_rows), np.uint8),
        quarters=np.zeros((n_looks, N_QUARTERS, 2 * N_KEYS), np.int64),
        group_sums=np.zeros((n_looks, 2 * N_KEYS), np.int64),
        fill=np.zeros((n_looks, 2 * N_KEYS, n_planes), np.int64),
        slots=np.zeros((n_looks, 64 * n_words), np.int32),
        words=np.zeros((n_looks, n * n_words), np.uint64),
        keys=np.zeros((n_looks, N_KEYS), np.uint64),
        sizes=sizes,
        sizes_in_words=sizes.view(np.uint64)[:, :, 0],
        ones=ones,
        ones_in_words=ones.view(np.uint64),
        run_words=np.zeros((n_looks, N_KEYS, 2, n_planes + 1), np.int64),
        ends=np.zeros((n_looks, 8), np.int64),
        cuts=np.zeros((n_looks, N_CUTS + 1), np.int64),
        sums=np.zeros((n_looks, N_CUTS + 1, n)),
        own=np.zeros((n_looks, n)),
        adds=np.zeros((n_looks, n)),
        drops=np.zeros((n_looks, 3, MOST_MEMBERS)),
        inside=np.zeros(n_looks),
        result=np.zeros((n_looks, n)),
    )
