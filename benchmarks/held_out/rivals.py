"""What learned networks are compared with: no edges, the best tree, logistic neighbourhoods."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.linear_model import LogisticRegression

from benchmarks.held_out.data import Split, mean
from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph

PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0)  # scikit-learn's C: the larger, the weaker


def chow_liu(table: EncodedTable) -> MarkovGraph:
    """Join the variables by the tree of the largest mutual information."""
    ones = table.codes.astype(np.float64)
    weights = table.weights.astype(np.float64)
    both = (ones * weights[:, np.newaxis]).T @ ones
    single, total = np.diag(both), weights.sum()
    counts = {
        (1, 1): both,
        (1, 0): single[:, np.newaxis] - both,
        (0, 1): single[np.newaxis, :] - both,
        (0, 0): total - single[:, np.newaxis] - single[np.newaxis, :] + both,
    }
    information = np.zeros_like(both)
    for (a, b), count in counts.items():
        joint = (count + 0.25) / (total + 1)
        left, right = ((single if state else total - single) + 0.5 for state in (a, b))
        information += joint * np.log(joint * (total + 1) ** 2 / np.outer(left, right))
    np.fill_diagonal(information, 0.0)
    tree = minimum_spanning_tree(-(information + 1e-12)).toarray() != 0
    return MarkovGraph(tree | tree.T, table.names)


def logistic_neighbourhoods(split: Split) -> tuple[float, str]:
    """Predict every variable from all others by L1-penalised logistic regression.

    The penalty, one for all variables, is the best on the validation rows. These are n separate
    predictions, not a distribution: there is no joint likelihood.
    """
    best = max((_judged(split, penalty) for penalty in PENALTIES), key=lambda each: each[0])
    return best[1], f"C = {best[2]:g}"


def _judged(split: Split, penalty: float) -> tuple[float, float, float]:
    """Sum up the conditional log-likelihoods of validation and test rows."""
    valid = test = 0.0
    for v in range(split.train.n_variables):
        predictor = _fitted(split.train, v, penalty)
        valid += mean(_log_probabilities(predictor, split.valid, v), split.valid)
        test += mean(_log_probabilities(predictor, split.test, v), split.test)
    return valid, test, penalty


def _fitted(table: EncodedTable, v: int, penalty: float) -> LogisticRegression | float:
    """Fit one neighbourhood; a constant column has only its smoothed share."""
    codes, weights = table.codes.astype(np.float64), table.weights
    target = codes[:, v]
    if len(np.unique(target)) < 2:
        return float((target @ weights + 0.5) / (table.n_samples + 1))
    model = LogisticRegression(l1_ratio=1.0, C=penalty, solver="liblinear", random_state=0, max_iter=200)
    return model.fit(np.delete(codes, v, axis=1), target, sample_weight=weights)


def _log_probabilities(predictor: LogisticRegression | float, table: EncodedTable, v: int) -> np.ndarray:
    """Give the log-probability of the value that each row has."""
    codes = table.codes.astype(np.float64)
    if isinstance(predictor, float):
        shares = np.full(table.n_rows, predictor)
    else:
        shares = predictor.predict_proba(np.delete(codes, v, axis=1))[:, 1]
    return np.log(np.where(codes[:, v] == 1, shares, 1 - shares))
