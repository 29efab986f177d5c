"""One variable of a network as a scikit-learn classifier."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ibmap.data.containers import take_apart
from ibmap.data.encoding import encode
from ibmap.data.table import CODE_DTYPE, EncodedTable
from ibmap.errors import InvalidTableError
from ibmap.graph import MarkovGraph
from ibmap.learners import RecommendedOptions, learn_recommended
from ibmap.model.questions import as_array
from ibmap.options import n_cores

if TYPE_CHECKING:
    from ibmap.model.network import MarkovNetwork


class NetworkClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict a column from the others by a Markov network over all of them.

    Parameters
    ----------
    learner : estimator, optional
        What learns the structure, such as ``IBMAPHC(bins=5)``; its `missing` and `bins` say how X
        is read. IBMAP-HC with its defaults if None.
    prior_strength, potentials, method
        As for `ibmap.MarkovNetwork.fit`.

    Attributes
    ----------
    model_ : MarkovNetwork
        The network, over the columns of X and the target.
    classes_ : ndarray
        Labels of the target.
    target_ : str
        The name of the target in the network.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names; ``x0, x1, ...`` for an array or a list.

    Examples
    --------
    >>> X = [["sun", "dry"], ["rain", "wet"]] * 20
    >>> y = ["play", "stay"] * 20
    >>> NetworkClassifier().fit(X, y).predict([["rain", "wet"], ["sun", None]])
    array(['stay', 'play'], dtype='<U4')
    """

    def __init__(
        self,
        learner: Any = None,
        *,
        prior_strength: float | str = 1.0,
        potentials: str = "auto",
        method: str = "auto",
    ) -> None:
        self.learner = learner
        self.prior_strength = prior_strength
        self.potentials = potentials
        self.method = method

    @classmethod
    def of(cls, model: MarkovNetwork, column: int | str) -> Self:
        """View one variable of a network as a fitted classifier.

        Parameters
        ----------
        model : MarkovNetwork
            The network.
        column : str or int
            The variable to predict.

        Returns
        -------
        NetworkClassifier
            Fitted.
        """
        return cls()._store(model, model.variables.index(column))

    def fit(self, X: Any, y: Any) -> Self:
        """Learn a network over the columns of X and the target.

        Parameters
        ----------
        X : table
            Anything `ibmap.encode` takes.
        y : array_like
            The target's labels.

        Returns
        -------
        NetworkClassifier
            Itself, fitted.
        """
        from ibmap.model.network import MarkovNetwork

        table = _joined(self._features(X), y)
        graph = self._structure(table)
        options = {"potentials": self.potentials, "method": self.method, "missing": "use"}
        model = MarkovNetwork.fit(table, graph, prior_strength=self.prior_strength, **options)  # type: ignore[arg-type]
        return self._store(model, table.n_variables - 1)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class.

        Parameters
        ----------
        X : table
            Columns as learned from; missing values are summed out, and so are values never seen.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self)
        X = _as_table(X)
        self._check_columns(X)
        return self.model_.predict_proba(X, self.target_, unseen="missing")

    def predict(self, X: Any) -> NDArray[Any]:
        """Give the most probable class.

        Parameters
        ----------
        X : table
            As for `predict_proba`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels.
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def _features(self, X: Any) -> EncodedTable:
        """Read the columns to predict from."""
        X = _as_table(X)
        if isinstance(X, np.ndarray) and X.dtype.kind == "c":
            msg = f"Complex data not supported: X has type {X.dtype}; give codes or labels"
            raise InvalidTableError(msg)
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] < 2:
            found = f"{X.shape[1]} feature(s) (shape={X.shape})"
            msg = f"Found array with {found} while a minimum of 2 is required."
            raise InvalidTableError(msg)
        missing, bins = getattr(self.learner, "missing", "use"), getattr(self.learner, "bins", None)
        if missing == "drop":
            msg = "a learner with missing='drop' would drop rows of X but not of y; drop them yourself"
            raise InvalidTableError(msg)
        return encode(X, missing=missing, bins=bins)

    def _structure(self, table: EncodedTable) -> MarkovGraph:
        if self.learner is None:
            return learn_recommended(table, RecommendedOptions(), n_threads=n_cores()).graph
        graph: MarkovGraph = clone(self.learner).fit(table).result_.graph
        return graph

    def _store(self, model: MarkovNetwork, target: int) -> Self:
        """Set the public attributes."""
        self.model_ = model
        self.target_ = model.names[target]
        self.classes_ = as_array(model.states[target])
        names = [name for k, name in enumerate(model.names) if k != target]
        self.feature_names_in_ = np.array(names, dtype=object)
        self.n_features_in_ = len(names)
        return self

    def _check_columns(self, X: Any) -> None:
        """Refuse rows without names that have more or fewer columns than those learned from."""
        if isinstance(X, EncodedTable) or not isinstance(X, (np.ndarray, list, tuple)):
            return
        if isinstance(X, np.ndarray) and X.ndim != 2:
            msg = f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: X.reshape(1, -1)"
            raise InvalidTableError(msg)
        n_columns = len(take_apart(X)[1])
        if n_columns != self.n_features_in_:
            msg = (
                f"X has {n_columns} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input: the columns it learned from"
            )
            raise InvalidTableError(msg)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = getattr(self.learner, "missing", "use") in ("state", "use")
        return tags


def _as_table(X: Any) -> Any:
    """Make an array of what only knows how to become one."""
    is_table = isinstance(X, (np.ndarray, EncodedTable)) or hasattr(X, "columns")
    return np.asarray(X) if hasattr(X, "__array__") and not is_table else X


def _joined(features: EncodedTable, y: Any) -> EncodedTable:
    """Add the target as a last column, under a name no other has."""
    if y is None:
        msg = "this classifier requires y to be passed, but the target y is None"
        raise InvalidTableError(msg)
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    if len(labels) != features.n_rows:
        msg = f"X has {features.n_rows} rows and y has {len(labels)}; give one label a row"
        raise InvalidTableError(msg)
    classes, codes = np.unique(labels, return_inverse=True)
    name = getattr(y, "name", None)
    name = name if isinstance(name, str) and name not in features.names else "y"
    while name in features.names:
        name += "_"
    return replace(
        features,
        codes=np.asfortranarray(np.column_stack([features.codes, codes]).astype(CODE_DTYPE)),
        cardinalities=np.append(features.cardinalities, len(classes)),
        names=(*features.names, name),
        labels=(*features.labels, tuple(classes.tolist())),
        ordered=np.append(features.ordered, False),
        missing=None
        if features.missing is None
        else np.asfortranarray(np.pad(features.missing, ((0, 0), (0, 1)))),
    )
