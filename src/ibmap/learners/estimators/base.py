"""What all learners share: reading the table, storing the outcome, scikit-learn's contract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ibmap.data.containers import is_lazy
from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError, InvalidTableError
from ibmap.learners import LEARNERS
from ibmap.learners.estimators.confident import ConfidentLearner
from ibmap.options import n_cores
from ibmap.result import SearchResult
from ibmap.result.relating import edge_attributes, related_in_time

if TYPE_CHECKING:
    from ibmap.model import MarkovNetwork


class StructureLearner(ConfidentLearner, BaseEstimator):  # type: ignore[misc]
    """Base of the learners; a subclass stores its options and fits."""

    graph_: nx.Graph
    adjacency_: NDArray[np.bool_]
    result_: SearchResult
    n_tests_: int
    feature_names_in_: NDArray[np.object_]
    n_features_in_: int
    _algorithm: ClassVar[str]  # its name in `ibmap.learners.LEARNERS`
    _table: EncodedTable | None = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the structure of a table.

        Parameters
        ----------
        X : table
            Anything `ibmap.encode` takes: a frame, also a lazy one of polars, DuckDB or Dask, an array or a
            list of rows.
        y : object, optional
            Ignored; there for scikit-learn's interface.
        sample_weight : array_like of shape (n_rows,), optional
            Whole numbers count rows: the same as a table in which each row is repeated so often. Fractions
            are survey weights, scaled to the effective number of rows (Kish).

        Returns
        -------
        StructureLearner
            Itself, fitted.
        """
        table = self._prepared(X, sample_weight)
        found = LEARNERS[self._algorithm].learn(table, self._options(), **self._running())
        return self._finished(found, table, X)

    def _prepared(self, X: Any, sample_weight: Any) -> EncodedTable:
        """Read the table to learn from; wrong options are refused before."""
        self._running()
        self._options().check()
        return self._encode(X, sample_weight)

    def _running(self) -> dict[str, Any]:
        """Give what the learner runs with."""
        if not LEARNERS[self._algorithm].is_parallel:
            return {}
        return {"n_threads": n_threads_of(self.n_jobs), "callback": self.callback}

    def _finished(self, found: SearchResult, table: EncodedTable, X: Any) -> Self:
        """Store what was learned."""
        self._store(related_in_time(found, table))
        self.graph_ = nx.relabel_nodes(self.graph_, whole_names(X))
        self.feature_names_in_ = np.array(table.preparation.columns or table.names, dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Give the names of the variables the structure is over.

        Parameters
        ----------
        input_features : array_like of str, optional
            If given, it must be the names of the columns learned from.

        Returns
        -------
        ndarray of str
            Column names.
        """
        check_is_fitted(self)
        if input_features is not None and [*map(str, input_features)] != self.feature_names_in_.tolist():
            msg = (
                "input_features is not equal to feature_names_in_, the columns learned from: "
                f"{', '.join(map(repr, self.feature_names_in_))}"
            )
            raise InvalidOptionError(msg)
        return np.array(self.result_.graph.names, dtype=object)

    def fit_parameters(self, X: Any = None, **options: Any) -> MarkovNetwork:
        """Estimate the parameters of the learned structure: a complete model.

        Parameters
        ----------
        X : table, optional
            The rows to estimate from; those the structure was learned from by default, which a
            learner remembers until it is pickled or copied.
        **options : object
            `prior_strength`, `potentials`, `method`, ... of `ibmap.MarkovNetwork.fit`.

        Returns
        -------
        MarkovNetwork
            With likelihoods, posteriors, predictions, samples.

        Examples
        --------
        >>> import ibmap
        >>> rows = [["sun", "play"], ["rain", "stay"]] * 20
        >>> model = ibmap.IBMAP().fit(rows).fit_parameters()
        >>> round(model.marginals("x1", given={"x0": "sun"})["play"], 3)
        0.988
        """
        from ibmap.model import MarkovNetwork

        check_is_fitted(self)
        table = self._table if X is None else self._read(X, keep=self._kept(X))
        if table is None or (X is None and table.fingerprint != self.result_.provenance.fingerprint):
            msg = "this learner (pickled, copied, or stopped in a new fit) does not have its rows; give them"
            raise InvalidTableError(msg)
        return MarkovNetwork.fit(table, self.result_.graph, **{"missing": "use", **options})

    def _keep(self, given: dict[str, Any]) -> None:
        """Store the arguments of ``__init__`` under their names, as scikit-learn demands."""
        self.__dict__.update({name: value for name, value in given.items() if name != "self"})

    def _options(self) -> Any:
        """Give the options of the learner."""
        given = self.get_params(deep=False)
        return LEARNERS[self._algorithm].options(
            **{name: value for name, value in given.items() if name not in ("n_jobs", "callback")}
        )

    def _encode(self, X: Any, sample_weight: Any = None) -> EncodedTable:
        """Read the table to learn from, and remember it for the parameters."""
        self._table = self._read(X, sample_weight)
        return self._table

    def _kept(self, X: Any) -> Sequence[str | int] | None:
        """Name or number the columns of another table that the structure is over; None if all are."""
        columns, names = self.feature_names_in_.tolist(), self.result_.graph.names
        if len(names) == len(columns) or isinstance(X, EncodedTable):
            return None
        return [columns.index(name) for name in names] if isinstance(X, (np.ndarray, list, tuple)) else names

    def _read(
        self, X: Any, sample_weight: Any = None, keep: Sequence[str | int] | None = None
    ) -> EncodedTable:
        """Read a table with the learner's options."""
        refuse_unusable(X)
        options = self._options()
        bins, limit = options.rule_for_bins, options.max_memory
        return encode(X, missing=self.missing, bins=bins, keep=keep, weights=sample_weight, max_memory=limit)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {key: value for key, value in state.items() if key != "_table"}

    def _store(self, result: SearchResult) -> Self:
        """Set the public attributes from a result."""
        self.result_ = result
        self.graph_ = result.graph.to_networkx()
        names = result.graph.names
        losses = {(names[p.x], names[p.y]): p.loss for p in result.evidence if p.is_edge}
        nx.set_edge_attributes(self.graph_, losses, "loss")
        told = {(names[x], names[y]): own for (x, y), own in edge_attributes(result).items()}
        nx.set_edge_attributes(self.graph_, told)
        known = {name: own.explained for name, own in zip(names, result.predictability, strict=False)}
        nx.set_node_attributes(self.graph_, known, "explained")
        nx.set_edge_attributes(
            self.graph_, {(names[x], names[y]): True for x, y in result.required}, "required"
        )
        self.adjacency_ = result.graph.adjacency.copy()
        self.n_tests_ = result.n_tests
        self.n_features_in_ = result.graph.n_variables
        self.feature_names_in_ = np.array(result.graph.names, dtype=object)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = self.missing != "error"
        tags.target_tags.required = False
        return tags


def whole_names(X: Any) -> dict[str, int]:
    """Find the columns of a frame whose names are whole numbers, by their names as text."""
    columns = () if hasattr(X, "collect_schema") else getattr(X, "columns", ())  # of polars they are texts
    return {str(each): int(each) for each in columns if isinstance(each, int | np.integer)}


def n_columns_of(X: Any) -> int | None:
    """Tell how many columns a two-dimensional array or frame has."""
    if is_lazy(X):
        return None  # it would be read for that
    shape = getattr(X, "shape", None)
    return int(shape[1]) if isinstance(shape, tuple) and len(shape) == 2 else None


def refuse_unusable(X: Any) -> None:
    """Refuse, in the words scikit-learn's tools expect, what `encode` would refuse in its own."""
    if isinstance(X, np.ndarray) and X.dtype.kind == "c":
        msg = f"Complex data not supported: X has type {X.dtype}; give codes or labels"
        raise InvalidTableError(msg)
    n_columns = n_columns_of(X)
    if n_columns is not None and n_columns < 2:
        msg = (
            f"Found array with {n_columns} feature(s) (shape={X.shape}) while a minimum of 2 is required: "
            "a network needs at least two variables"
        )
        raise InvalidTableError(msg)


def n_threads_of(n_jobs: int | None) -> int:
    """Turn scikit-learn's `n_jobs` into a number of threads."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        msg = f"n_jobs must be None or a whole number other than 0; got {n_jobs!r}"
        raise InvalidOptionError(msg)
    return int(n_jobs) if n_jobs > 0 else max(n_cores() + 1 + int(n_jobs), 1)
