"""IBMAP-TS as a scikit-learn estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from ibmap.estimators.base import StructureLearner, n_threads_of
from ibmap.independence.pairwise import PENALTY
from ibmap.learning import TreeSearchOptions, learn_ts
from ibmap.result import SearchResult

if TYPE_CHECKING:
    from ibmap.search.tree_search import Callback


class IBMAPTS(StructureLearner):
    """Learn a Markov network with IBMAP-TS: the most probable of all runs of an algorithm.

    Every test of independence branches into both answers. The run whose answers
    have the highest product of posteriors is found exactly, one variable at a
    time; see ``docs/tree-search.md``.

    Parameters
    ----------
    closure : {"gsmn", "gsmn-star", "gsimn"}
        The algorithm whose runs are searched. Those of GSMN are searched one variable
        at a time; the others look across variables, and the whole tree of their
        runs is exponential: give a limit.
    rule : {"or", "and"}
        An edge if either variable is in the other's blanket, or only if both are.
    grow : {"once", "repeat"}
        One grow pass, or passes until one adds nothing.
    order : {"association", "columns"}
        Try the most dependent variable first, or go by column.
    test : {"bayesian", "pairwise"} or callable
        The test of independence. A callable takes the encoded table and returns a
        `ProbabilisticTest`.
    prior, hyperparameters, slices, equivalent_sample_size
        Options of `ibmap.BayesianTest`.
    penalty, ridge, ordered
        Options of `ibmap.PairwiseTest`, with `prior`.
    max_nodes : int, optional
        Stop after so many states looked at, with a `SearchWarning`.
    max_seconds : float, optional
        Stop the search after so many seconds, with a `SearchWarning`.
    max_memory : int or str, optional
        Stop when states and tests take so much memory, with a `SearchWarning`:
        bytes, or a text such as ``"500 MB"``. None for no limit.
    missing : {"error", "drop", "state"}
        What to do with missing values: refuse them, drop their rows, or take them
        as a state of their own.
    bins : {"width", "frequency"}, int or dict, optional
        How to cut continuous columns; see `ibmap.encode`.
    n_jobs : int, optional
        Threads; 1 by default, -1 for one a core. The result is the same for
        any number.
    callback : callable, optional
        Called with the progress of the search; raise `ibmap.StopSearch` in it to end the search
        with the best so far.

    Attributes
    ----------
    graph_ : networkx.Graph
        The structure over the column names.
    adjacency_ : ndarray of bool
        The same as a matrix.
    score_ : float
        Sum of the log posteriors of the assertions of the winning runs.
    bound_ : float
        No run has a higher score; equal to `score_` unless a limit was hit.
    n_nodes_ : int
        Questions branched on.
    n_tests_ : int
        Distinct tests of independence.
    result_ : SearchResult
        Everything, with `to_json`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Column names; ``x0, x1, ...`` for an array or a list, where other
        scikit-learn estimators have no such attribute.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> learner = IBMAPTS().fit(rows)
    >>> sorted(learner.graph_.edges), round(learner.score_, 3)
    ([('x0', 'x1')], -1.471)
    """

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self,
        *,
        closure: str = "gsmn",
        rule: str = "or",
        grow: str = "once",
        order: str = "association",
        test: Any = "bayesian",
        prior: float = 0.5,
        hyperparameters: str = "sums",
        slices: str = "all",
        equivalent_sample_size: float = 1.0,
        penalty: float = PENALTY,
        ridge: float = 1.0,
        ordered: Any = False,
        max_nodes: int | None = None,
        max_seconds: float | None = None,
        max_memory: int | str | None = "1 GB",
        missing: str = "error",
        bins: Any = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.closure = closure
        self.rule = rule
        self.grow = grow
        self.order = order
        self.test = test
        self.prior = prior
        self.hyperparameters = hyperparameters
        self.slices = slices
        self.equivalent_sample_size = equivalent_sample_size
        self.penalty = penalty
        self.ridge = ridge
        self.ordered = ordered
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.max_memory = max_memory
        self.missing = missing
        self.bins = bins
        self.n_jobs = n_jobs
        self.callback = callback

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the structure of a table.

        Parameters
        ----------
        X : table
            Anything `ibmap.encode` takes: a frame, an array or a list of rows.
        y : object, optional
            Ignored; there for scikit-learn's interface.

        Returns
        -------
        IBMAPTS
            Itself, fitted.
        """
        params = self.get_params(deep=False)
        options = TreeSearchOptions(**{k: v for k, v in params.items() if k not in ("n_jobs", "callback")})
        options.budget()  # refused before the table is read
        options.check_test()
        n_threads = n_threads_of(self.n_jobs)
        return self._store(learn_ts(self._encode(X), options, n_threads=n_threads, callback=self.callback))

    def _store(self, result: SearchResult) -> Self:
        """Set the public attributes, those of the search included."""
        self.score_ = result.score
        self.bound_ = result.bound
        self.n_nodes_ = result.n_nodes
        return super()._store(result)
