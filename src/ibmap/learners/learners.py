"""The learners by their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.learners.blankets import learn_gsimn, learn_gsmn, learn_gsmn_star, learn_hiton, learn_iamb
from ibmap.learners.cost import check_memory
from ibmap.learners.family import (
    learn_beam,
    learn_bjp,
    learn_hhc,
    learn_mpl,
    learn_pfmn,
    learn_pic,
    learn_restarts,
)
from ibmap.learners.hill_climbing import learn_hc
from ibmap.learners.options import OPTIONS, LearnerOptions
from ibmap.learners.recommended import find_again, learn_recommended
from ibmap.learners.tree_search import learn_ts
from ibmap.result import SearchResult

__all__ = [
    "LEARNERS", "Learner", "learn_beam", "learn_bjp", "learn_gsimn", "learn_gsmn", "learn_gsmn_star",
    "learn_hc", "learn_hhc", "learn_hiton", "learn_iamb", "learn_mpl", "learn_pfmn", "learn_pic",
    "learn_recommended", "learn_restarts", "learn_ts",
]  # fmt: skip


@dataclass(frozen=True)
class Learner:
    """A learner: its options, its function, and whether it can use threads, a cluster, a checkpoint."""

    # The function takes an encoded table, options and `callback`; a parallel one also `n_threads`, a
    # distributed one also `client` and `spread`, one that can be resumed also `checkpoint` and `resume`.

    options: type[LearnerOptions]
    function: Callable[..., SearchResult]
    is_parallel: bool = False
    is_resumable: bool = False
    is_distributed: bool = False
    finding: Callable[..., MarkovGraph] | None = None  # a structure alone, for many resampled tables

    def find(self, table: EncodedTable, options: LearnerOptions) -> MarkovGraph:
        """Find a structure, and tell nothing of it."""
        return self.finding(table, options) if self.finding else self.learn(table, options).graph

    def learn(self, table: EncodedTable, options: LearnerOptions, **running: Any) -> SearchResult:
        """Learn from a table, unless it would take more memory than there is."""
        if self.name != "ts":  # whose limit is on what its search takes as it goes
            check_memory(table, self.name, options.max_memory, getattr(options, "screen", None))
        return self.function(table, options, **running)

    @property
    def name(self) -> str:
        """What the command line calls it."""
        return next(name for name, learner in LEARNERS.items() if learner is self)

    def takes(self, option: str) -> bool:
        """Tell whether an option of the command line applies, whatever the test."""
        if option == "threads":
            return self.is_parallel
        if option in ("cluster", "spread"):
            return self.is_distributed
        if option in ("checkpoint", "resume"):
            return self.is_resumable
        return option in {each.name for each in fields(self.options)}


LEARNERS = {
    "ibmap": Learner(
        OPTIONS["ibmap"], learn_recommended, is_parallel=True, is_distributed=True, finding=find_again
    ),
    "hc": Learner(OPTIONS["hc"], learn_hc, is_parallel=True, is_resumable=True),
    "ts": Learner(OPTIONS["ts"], learn_ts, is_parallel=True),
    "gsmn": Learner(OPTIONS["gsmn"], learn_gsmn),
    "gsmn-star": Learner(OPTIONS["gsmn-star"], learn_gsmn_star),
    "gsimn": Learner(OPTIONS["gsimn"], learn_gsimn),
    "iamb": Learner(OPTIONS["iamb"], learn_iamb),
    "hiton": Learner(OPTIONS["hiton"], learn_hiton),
    "hhc": Learner(OPTIONS["hhc"], learn_hhc),
    "beam": Learner(OPTIONS["beam"], learn_beam),
    "restarts": Learner(OPTIONS["restarts"], learn_restarts, is_parallel=True),
    "bjp": Learner(OPTIONS["bjp"], learn_bjp),
    "mpl": Learner(OPTIONS["mpl"], learn_mpl, is_parallel=True),
    "pic": Learner(OPTIONS["pic"], learn_pic, is_parallel=True),
    "pfmn": Learner(OPTIONS["pfmn"], learn_pfmn),
}
