"""Exact inference: messages on a junction tree, in logarithms.

Every table has a leading axis for a batch of rows of evidence, so that many
rows with the same observed variables share one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibmap.model.potentials import Floats, Potentials, broadcast_over
from ibmap.model.triangulation import JunctionTree

Reduction = Callable[[Floats, tuple[int, ...]], Floats]


def log_sum(table: Floats, axes: tuple[int, ...]) -> Floats:
    """Sum probabilities given as logarithms."""
    if not axes:
        return table
    top = table.max(axis=axes, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(table - top).sum(axis=axes))
    return np.asarray(total + top.reshape(total.shape))


def log_max(table: Floats, axes: tuple[int, ...]) -> Floats:
    """Take the largest over some axes."""
    return np.asarray(table.max(axis=axes)) if axes else table


@dataclass(frozen=True, eq=False)
class Evidence:
    """Rows that observe the same variables."""

    variables: tuple[int, ...]
    codes: NDArray[np.integer]  # shape (n_rows, n_observed); their states in each row


NO_EVIDENCE = Evidence((), np.zeros((1, 0), np.int64))


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The tables of a junction tree after the messages towards the root."""

    tree: JunctionTree  # over the variables not observed
    tables: list[Floats]  # for each clique, log of its potential times all messages from its children
    messages: list[Floats]  # what each clique sent its parent
    # for each row, log of the sum (after `log_max`: of the largest) over what agrees with the evidence
    log_partition: Floats

    def calibrated(self) -> list[Floats]:
        """Pass the messages back from the root: the joint of each clique with the evidence, times Z."""
        tables = list(self.tables)
        for k in range(1, len(tables)):
            parent, shared = self.tree.parents[k], self.tree.separators[k]
            back = reduced(tables[parent], self.tree.cliques[parent], shared, log_sum)
            sent = self.messages[k]
            with np.errstate(invalid="ignore"):
                news = np.where(np.isneginf(sent), -np.inf, back - sent)
            tables[k] = tables[k] + spread(news, shared, self.tree.cliques[k])
        return tables


def collect(
    potentials: Potentials,
    tree: JunctionTree,
    evidence: Evidence = NO_EVIDENCE,
    reduction: Reduction = log_sum,
) -> Beliefs:
    """Pass messages to the root: `log_sum` for probabilities, `log_max` for the best configuration."""
    tables = _clique_tables(potentials, tree, evidence)
    messages: list[Floats] = [np.zeros(1)] * len(tables)
    for k in range(len(tables) - 1, 0, -1):
        clique, parent = tree.cliques[k], tree.parents[k]
        messages[k] = reduced(tables[k], clique, tree.separators[k], reduction)
        tables[parent] = tables[parent] + spread(messages[k], tree.separators[k], tree.cliques[parent])
    total = reduced(tables[0], tree.cliques[0], (), reduction)
    return Beliefs(tree, tables, messages, np.broadcast_to(total, (len(evidence.codes),)))


def reduced(table: Floats, scope: Sequence[int], onto: Sequence[int], reduction: Reduction) -> Floats:
    """Sum or maximise a batch of tables onto some of its variables."""
    return reduction(table, tuple(k + 1 for k, v in enumerate(scope) if v not in onto))


def spread(table: Floats, variables: Sequence[int], scope: Sequence[int]) -> Floats:
    """Shape a batch of tables so that it broadcasts over a larger scope."""
    lengths = iter(table.shape[1:])
    return table.reshape([len(table), *(next(lengths) if v in variables else 1 for v in scope)])


def _clique_tables(potentials: Potentials, tree: JunctionTree, evidence: Evidence) -> list[Floats]:
    """Multiply the factors, cut down by the evidence, into the tables of the cliques."""
    shapes = [tuple(potentials.cardinalities[v] for v in clique) for clique in tree.cliques]
    tables: list[Floats] = [np.zeros((1, *shape)) for shape in shapes]
    seen = {v: k for k, v in enumerate(evidence.variables)}
    for factor in potentials.factors:
        free = [v for v in factor.variables if v not in seen]
        home = tree.home(free)
        tables[home] = tables[home] + _cut(factor.variables, factor.log_values, evidence, tree.cliques[home])
    return tables


def _cut(variables: Sequence[int], values: Floats, evidence: Evidence, scope: Sequence[int]) -> Floats:
    """Take a factor at the observed states of each row, shaped for a clique."""
    seen = {v: k for k, v in enumerate(evidence.variables)}
    observed = [k for k, v in enumerate(variables) if v in seen]
    free = [k for k, v in enumerate(variables) if v not in seen]
    table = values.transpose(observed + free)
    if not observed:
        return broadcast_over(table, [variables[k] for k in free], scope)[np.newaxis]
    rows = table[tuple(evidence.codes[:, seen[variables[k]]] for k in observed)]
    order = sorted(range(len(free)), key=lambda k: variables[free[k]])
    ordered = rows.transpose([0, *(k + 1 for k in order)])
    return spread(ordered, sorted(variables[k] for k in free), scope)
