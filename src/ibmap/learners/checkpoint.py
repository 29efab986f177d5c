"""A hill climb kept in a file, so that it can go on after an interruption as if there had been none.

The file is JSON: what the run is (version, data, options), and for each of its climbs the structure
reached, the trace, the counters and all terms known, bit by bit. The start is not kept; finding it
anew is a small part of a climb.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from ibmap.data.atomic import write_atomically
from ibmap.data.records import as_record, damaged, read_json
from ibmap.errors import FileFormatError, InvalidOptionError, SearchWarning
from ibmap.learners.arrays import PackedArray, packed, unpacked
from ibmap.search.climb import ClimbState, Flip
from ibmap.search.cost import DistinctTests

FORMAT = "ibmap-checkpoint"
FORMAT_VERSION = 2
INTERVAL = 5.0  # seconds between two writings, at least
MAX_SHARE = 0.05  # of the time may be spent on writing

Count = Annotated[int, Meta(ge=0)]


class _KeptTests(Struct):
    sets: PackedArray
    earlier: PackedArray
    newest: PackedArray
    n_tests: PackedArray
    listed: PackedArray


class _KeptFlip(Struct):
    x: int
    y: int
    added: bool
    gain: float
    score: float


class _KeptClimb(Struct):
    edges: list[tuple[int, int]]
    n_looked: int
    n_iterations: Count
    is_optimum: bool
    trace: list[_KeptFlip]
    changes: PackedArray
    is_exact: PackedArray


class CheckpointFile(Struct):
    """What a checkpoint holds."""

    is_finished: bool
    identity: dict[str, Any]
    seconds: Annotated[float, Meta(ge=0)]
    tests: _KeptTests
    climbs: list[_KeptClimb | None]
    digest: str


class Checkpoint:
    """The file that keeps a run of climbs."""

    def __init__(
        self, path: str | Path, identity: Mapping[str, Any], n_variables: int, n_climbs: int
    ) -> None:
        self.path = Path(path)
        self.identity = dict(identity)
        self.tests = DistinctTests(n_variables)
        self.states: list[ClimbState | None] = [None] * n_climbs
        self._n_variables = n_variables
        self._begun = self._written = time.monotonic()
        self._before, self._cost, self._has_warned = 0.0, 0.0, False

    @property
    def seconds(self) -> float:
        """Time spent on the run, interruptions left out."""
        return self._before + time.monotonic() - self._begun

    def load(self, path: str | Path) -> None:
        """Take over what another run has kept."""
        content = read_checkpoint(path)
        _refuse_others(path, content.identity, self.identity)
        if len(content.climbs) != len(self.states):
            told = f"it has {len(content.climbs)} climbs; this run has {len(self.states)}"
            raise FileFormatError(damaged(f"checkpoint {str(path)!r}", told))
        try:
            self.tests = _tests_of(content.tests, self._n_variables)
            self.states = [
                None if each is None else _state_of(each, self._n_variables) for each in content.climbs
            ]
        except ValueError as error:
            raise FileFormatError(damaged(f"checkpoint {str(path)!r}", error)) from None
        self._before = content.seconds

    def keeper(self, k: int) -> ClimbKeeper:
        """Give what keeps one of the climbs."""
        return ClimbKeeper(self, k)

    def take(self, k: int, make: Callable[[], ClimbState], *, at_once: bool) -> None:
        """Take the state of a climb and write the file, if it is time."""
        pause = max(INTERVAL, self._cost / MAX_SHARE)
        if not at_once and time.monotonic() - self._written < pause:
            return
        self.states[k] = make()
        self.update()

    def update(self, *, is_finished: bool = False) -> None:
        """Write the file; if that fails, say so once and go on."""
        try:
            self.write(is_finished=is_finished)
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                msg = f"the checkpoint could not be written, the search goes on without: {error}"
                warnings.warn(msg, SearchWarning, stacklevel=2)

    def write(self, *, is_finished: bool = False) -> None:
        """Write the file, whole or not at all."""
        begun = time.monotonic()
        content = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "is_finished": is_finished,
            "identity": self.identity,
            "seconds": self.seconds,
            "tests": {key: packed(each) for key, each in self.tests.state().items()},
            "climbs": [None if state is None else _plain(state) for state in self.states],
        }
        content["digest"] = digest_of(content)
        write_atomically(self.path, json.dumps(content, ensure_ascii=False) + "\n")
        self._written = time.monotonic()
        self._cost = self._written - begun


class ClimbKeeper:
    """Keeps one climb of a run; see `ibmap.search.climb.Keeper`."""

    def __init__(self, checkpoint: Checkpoint, k: int) -> None:
        self._checkpoint, self._k = checkpoint, k

    def restored(self) -> ClimbState | None:
        """Give the state to go on from."""
        return self._checkpoint.states[self._k]

    def offer(self, make: Callable[[], ClimbState], *, at_once: bool) -> None:
        """Take the state of the climb, if it is time."""
        self._checkpoint.take(self._k, make, at_once=at_once)


def read_checkpoint(path: str | Path) -> CheckpointFile:
    """Read a checkpoint, whatever run it is of."""
    try:
        content = read_json(path)
    except FileNotFoundError:
        msg = f"there is no checkpoint {str(path)!r}; begin with --checkpoint, or check the name"
        raise FileFormatError(msg) from None
    except (OSError, FileFormatError) as error:
        msg = f"cannot read the checkpoint {str(path)!r}: {error}"
        raise FileFormatError(msg) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        msg = f"{str(path)!r} is not a checkpoint of ibmap"
        raise FileFormatError(msg)
    if content.get("format_version") != FORMAT_VERSION:
        msg = f"the checkpoint {str(path)!r} has a format this version of ibmap does not read"
        raise FileFormatError(msg)
    what = f"checkpoint {str(path)!r}"
    read = as_record(content, CheckpointFile, what)
    if content.pop("digest") != digest_of(content):
        raise FileFormatError(damaged(what, "it is not what was written: its digest differs"))
    return read


def digest_of(content: Mapping[str, Any]) -> str:
    """Give the digest by which a checkpoint is known to be what was written."""
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def refuse_overwriting(path: str | Path) -> None:
    """Refuse to begin a run in a file that holds an unfinished run, or no run at all."""
    if not Path(path).exists():
        return
    try:
        is_finished = read_checkpoint(path).is_finished
    except FileFormatError:
        msg = f"--checkpoint {path}: the file exists and is no checkpoint; choose another name"
        raise InvalidOptionError(msg) from None
    if not is_finished:
        msg = (
            f"the checkpoint {str(path)!r} holds a search that is not finished; go on from it with "
            "resume (command line: --resume FILE), or delete it"
        )
        raise InvalidOptionError(msg)


def samefile(one: str | Path, other: str | Path) -> bool:
    """Tell whether two names are one file."""
    return Path(one).resolve() == Path(other).resolve()


def _refuse_others(path: str | Path, kept: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse a run that is not the one kept, naming the first difference."""
    kept, now = json.loads(json.dumps([kept, now]))
    pairs = [(key, kept.get(key), now.get(key)) for key in ("fingerprint", "version", "start_edges")]
    found = [each.get("options") for each in (kept, now)]
    options = [each if isinstance(each, dict) else {} for each in found]
    pairs += [(key, *(each.get(key) for each in options)) for key in sorted({*options[0], *options[1]})]
    for key, before, after in pairs:
        if before != after:
            what = "another table" if key == "fingerprint" else f"{key}={_short(before)}"
            here = "" if key == "fingerprint" else f"; this run has {key}={_short(after)}"
            msg = f"cannot resume from {str(path)!r}: it was begun with {what}{here}"
            raise InvalidOptionError(msg)


def _short(value: Any) -> str:
    """Show a value on a line."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _plain(state: ClimbState) -> dict[str, Any]:
    """Give a state as plain values."""
    return {
        "edges": np.argwhere(np.triu(state.adjacency)).tolist(),
        "n_looked": state.n_scored,
        "n_iterations": state.n_iterations,
        "is_optimum": state.is_optimum,
        "trace": [flip._asdict() for flip in state.trace],
        "changes": packed(state.changes),
        "is_exact": packed(state.is_exact),
    }


def _tests_of(content: _KeptTests, n_variables: int) -> DistinctTests:
    """Read what counts the tests of climbs over so many variables."""
    n_blankets = len(content.earlier.data) // 8
    return DistinctTests.from_state(
        {
            "sets": unpacked(content.sets, "uint64", (n_blankets, n_variables // 64 + 1)),
            "earlier": unpacked(content.earlier, "int64", (n_blankets,)),
            "newest": unpacked(content.newest, "int64", (n_variables,)),
            "n_tests": unpacked(content.n_tests, "int64", (1,)),
            "listed": unpacked(content.listed, "int64", (len(content.listed.data) // 8,)),
        }
    )


def _state_of(content: _KeptClimb, n_variables: int) -> ClimbState:
    """Read the state of a climb over so many variables."""
    shape = (n_variables, n_variables)
    trace = tuple(Flip(each.x, each.y, each.added, each.gain, each.score) for each in content.trace)
    pairs = [*content.edges, *((flip.x, flip.y) for flip in trace)]
    if not all(0 <= min(pair) < max(pair) < n_variables for pair in pairs):
        msg = f"it has pairs that are not among {n_variables} variables"
        raise ValueError(msg)
    adjacency = np.zeros(shape, bool)
    for i, j in content.edges:
        adjacency[i, j] = adjacency[j, i] = True
    changes = unpacked(content.changes, "float64", shape)
    if not 0 < content.n_looked <= n_variables or np.isnan(changes).any() or (changes == np.inf).any():
        msg = f"its terms do not fit {n_variables} variables"
        raise ValueError(msg)
    is_exact = unpacked(content.is_exact, "bool", shape)
    reached = (trace, content.n_iterations, content.is_optimum)
    return ClimbState(adjacency, content.n_looked, changes, is_exact, *reached)
