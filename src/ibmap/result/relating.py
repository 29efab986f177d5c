"""Relations added to a result, and found in it."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ibmap.data.table import EncodedTable
from ibmap.evidence.relation import Relation

if TYPE_CHECKING:
    from ibmap.result.result import SearchResult

    Result = TypeVar("Result", bound=SearchResult)


GRACE = 2.0  # seconds for the relations of a search that a limit ended


def related_in_time(result: Result, table: EncodedTable) -> Result:
    """Do the same as `related`; if a limit ended the search, only where it takes no more than seconds."""
    is_cut = result.stopped in ("max_seconds", "interrupted")
    return related(result, table, time.monotonic() + GRACE if is_cut else math.inf)


def related(result: Result, table: EncodedTable, deadline: float = math.inf) -> Result:
    """Give the same result with how the ends of each edge are related; itself if it tells already."""
    if result.predictability or not table.n_samples:
        return result
    from ibmap.evidence.relations import relate  # loads what fits; a result read from a file needs none

    relations, predictability = relate(table, result.graph, deadline)
    return replace(result, relations=relations, predictability=predictability)


def relation_of(result: SearchResult, x: int, y: int) -> Relation | None:
    """Give how two joined variables are related, in that order; None if it is not known."""
    known = result.relation_by_pair.get((min(x, y), max(x, y)))
    return known if known is None or known.x == x else known.reversed()


def edge_attributes(result: SearchResult) -> dict[tuple[int, int], dict[str, Any]]:
    """Give what is known of how the ends of each edge are related, as exports name it."""
    return {
        (each.x, each.y): {
            "strength": each.strength,
            "sign": each.sign,
            "share": each.share,
            **({} if each.odds_ratio is None else {"odds_ratio": each.odds_ratio}),
        }
        for each in result.relations
    }
