"""IBMAP-TS as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from ibmap.learners.estimators.base import StructureLearner
from ibmap.learners.estimators.documenting import documented
from ibmap.result import SearchResult

if TYPE_CHECKING:
    from ibmap.search.tree_search import Callback


@documented
class IBMAPTS(StructureLearner):
    """Learn a Markov network with IBMAP-TS: the most probable of all runs of an algorithm.

    Every test of independence branches into both answers. The run whose answers
    have the highest product of posteriors is found exactly, one variable at a
    time; see ``docs/tree-search.md``.

    Attributes
    ----------
    score_ : float
        Sum of the log posteriors of the assertions of the winning runs.
    bound_ : float
        No run has a higher score; equal to `score_` unless a limit was hit.
    n_nodes_ : int
        Questions branched on.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> learner = IBMAPTS().fit(rows)
    >>> sorted(learner.graph_.edges), round(learner.score_, 3)
    ([('x0', 'x1')], -1.471)
    """

    _algorithm = "ts"

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self, *, closure: str = "gsmn", rule: str = "or", grow: str = "once", order: str = "association",
        test: Any = "bayesian", prior: float = 0.5, hyperparameters: str = "sums", slices: str = "all",
        equivalent_sample_size: float = 1.0, penalty: float = 1.0, ridge: float = 1.0, ordered: Any = False,
        max_nodes: int | None = None, max_seconds: float | None = None,
        max_memory: int | str | None = "1 GB", missing: str = "error", bins: Any = None, require: Any = None,
        forbid: Any = None, edge_prior: Any = None, knowledge: Any = None,
        n_jobs: int | None = None, callback: Callback | None = None,
    ) -> None:  # fmt: skip
        self._keep(locals())

    def _store(self, result: SearchResult) -> Self:
        """Set the public attributes, those of the search included."""
        self.score_ = result.score
        self.bound_ = result.bound
        self.n_nodes_ = result.n_nodes
        return super()._store(result)
