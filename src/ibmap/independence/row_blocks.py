"""Fits of a table whose rows others have, in blocks: counts are asked for, added up, and weighed here.

Each block gives the states of its cells, X's counts and those of the others. The union of the cells in the
order of their states, with the counts of all blocks added up, is what all rows together give: whole numbers,
so to the last bit. All that is not counting is done here, by the same code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.data.counting import label_cells
from ibmap.data.text import either
from ibmap.errors import InvalidOptionError
from ibmap.independence.counting import Cells, RowBlock
from ibmap.independence.links import Links
from ibmap.independence.numpy_fit import Floats, Integers
from ibmap.independence.order_links import OrderLinks
from ibmap.independence.regression import Fits, Question
from ibmap.pools.protocol import Pool

MOST_BYTES = 1 << 26  # of what one holder of rows answers at once, about; a single fit may take more

Blocks = tuple[RowBlock, ...]  # the same rows, for each model that numbers states in its own way
Asked = tuple[int, tuple[int, ...], Integers]  # a variable, its blanket, the others that are weighed


class MergedCells(NamedTuple):
    """Cells of rows that are not here."""

    counts: Floats  # of X: cells by states
    states: NDArray[np.uint8]  # members by cells
    others: dict[int, tuple[Integers, Floats]]  # by number of states: the variables, and their counts

    def count_others(self, y: Integers, n_states: int) -> Floats:
        """Look up the counts of variables of one number of states."""
        variables, counts = self.others[n_states]
        found: Floats = counts[np.searchsorted(variables, y)]
        return found


class Holders(Protocol):
    """Those who have the rows, in blocks."""

    def ask(self, call: Callable[..., list[MergedCells]], asked: Sequence[Asked]) -> list[list[MergedCells]]:
        """Call once for each holder, with the blocks it has; give the answers in any order."""
        ...


class Looked:
    """Answers what was asked for beforehand."""

    def __init__(self, known: dict[tuple[int, tuple[int, ...]], MergedCells]) -> None:
        self._known = known

    def cells(self, x: int, members: Integers) -> Cells:
        """Look up the cells of a blanket."""
        return self._known[x, tuple(members.tolist())]


def count_in_blocks(blocks: Sequence[Blocks], asked: Sequence[Asked]) -> list[MergedCells]:
    """Count what is asked for in some blocks: question after question, for each model."""
    found = []
    for x, members, others in asked:
        for model in range(len(blocks[0])):
            own = [_count(block[model], x, np.array(members, np.int64), others) for block in blocks]
            found.append(merged(own, blocks[0][model].n_states[list(members)]))
    return found


def _count(rows: RowBlock, x: int, members: Integers, others: Integers) -> MergedCells:
    """Count the rows of one block."""
    cells, numbers = rows.cells(x, members), rows.n_states[others]
    by_number = {k: others[numbers == k] for k in sorted({*numbers.tolist()} - {1})}
    counts = {k: (y, cells.count_others(y, k)) for k, y in by_number.items()}
    return MergedCells(cells.counts, cells.states, counts)


def merged(parts: Sequence[MergedCells], n_states: Integers) -> MergedCells:
    """Add up what was counted in different rows, in the union of the cells."""
    if len(parts) == 1:
        return parts[0]
    states = np.concatenate([part.states for part in parts], axis=1)
    labels, n_cells = label_cells(states, n_states)
    whole = np.empty((len(states), n_cells), np.uint8)
    whole[:, labels] = states
    places = np.split(labels, np.cumsum([len(part.counts) for part in parts])[:-1])
    counts = np.zeros((n_cells, parts[0].counts.shape[1]))
    others = {k: (y, np.zeros((len(y), *counts.shape, k))) for k, (y, _) in parts[0].others.items()}
    for part, own in zip(parts, places, strict=True):
        counts[own] += part.counts
        for k, (_, found) in part.others.items():
            others[k][1][:, own] += found
    return MergedCells(counts, whole, others)


class SpreadFits:
    """The fits of a table whose rows others have."""

    def __init__(self, fits: Fits, models: Sequence[Links[Any]], holders: Holders) -> None:
        self._fits, self._models, self._holders = fits, models, holders
        self._rows = distinct_rows(models)

    def factors(self, questions: Sequence[Question], pool: Pool) -> list[Floats]:
        """Ask many fits: what they count of all rows, then what follows from it, by the hands of a pool."""
        found: list[Floats] = []
        for part in self._parts(questions):
            counted = self._counted(part)
            counted = counted * (len(self._models) // len(counted))
            links = [model.counted_by(own) for model, own in zip(self._models, counted, strict=True)]
            fits = self._fits._replace(links=OrderLinks(*links) if len(links) > 1 else links[0])
            found += pool.map(fits.log_bayes_factors, *zip(*part, strict=True))
        return found

    def _counted(self, questions: Sequence[Question]) -> list[Looked]:
        """Ask for the counts of some questions; give what answers each model."""
        asked = [(x, blanket, self._fits.others(x, blanket, row)) for x, blanket, row in questions]
        asked = [each for each in asked if not self._fits.is_constant[each[0]]]
        answers = self._holders.ask(count_in_blocks, asked) if asked else []
        known: list[dict[tuple[int, tuple[int, ...]], MergedCells]] = [{} for _ in self._rows]
        for place, parts in enumerate(zip(*answers, strict=True)):
            (x, members, _), model = asked[place // len(self._rows)], place % len(self._rows)
            n_states = self._rows[model].n_states[list(members)]
            known[model][x, members] = merged(parts, n_states)
        return [Looked(each) for each in known]

    def _parts(self, questions: Sequence[Question]) -> Iterator[list[Question]]:
        """Cut questions so that no answer takes too much memory."""
        part, size = list[Question](), 0.0
        for question in questions:
            own = self._size(*question)
            if part and size + own > MOST_BYTES:
                yield part
                part, size = [], 0.0
            part.append(question)
            size += own
        if part:
            yield part

    def _size(self, x: int, blanket: tuple[int, ...], row: Integers | None) -> float:
        """Give about how many bytes one holder answers, at most."""
        n_states = self._rows[0].n_states
        n_cells = min(math.prod(n_states[list(blanket)].tolist()), self._rows[0].n_rows)
        others = n_states[self._fits.others(x, blanket, row)]
        return float(8 * n_cells * n_states[x] * others.sum() * len(self._rows))


def models_of(fits: Fits) -> list[Links[Any]]:
    """Give the models that fits average over; refuse those whose rows cannot be cut into blocks."""
    links = fits.links.models if isinstance(fits.links, OrderLinks) else (fits.links,)
    models = [each for each in links if isinstance(each, Links) and each.seen is None]
    if len(models) < len(links):
        reason = "columns are kept as numbers, or cells are missing, which are filled in by all rows"
    elif not all((each.rows.weights == np.rint(each.rows.weights)).all() for each in models):
        reason = "rows have weights that are not whole numbers, whose sums depend on their order"
    else:
        return models
    remedy = either("spread='variables'", "--spread variables")
    msg = f"rows cannot be spread over the workers: {reason}; spread variables ({remedy})"
    raise InvalidOptionError(msg)


def distinct_rows(models: Sequence[Links[Any]]) -> Blocks:
    """Give the rows of each model, once if they number states alike."""
    rows = tuple(each.rows for each in models)
    return rows[:1] if all(np.array_equal(rows[0].codes, each.codes) for each in rows[1:]) else rows
