"""From a table and a structure to parameters: which potentials, which method."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ibmap.data.table import EncodedTable
from ibmap.errors import FittingWarning, InvalidOptionError, InvalidTableError, TooLargeError
from ibmap.graph import MarkovGraph
from ibmap.model.cliques import clique_scopes, pairwise_scopes
from ibmap.model.closed_form import decomposable_factors, margin
from ibmap.model.exact import MAX_CELLS
from ibmap.model.potentials import Potentials, merged
from ibmap.model.proportional_fitting import Fitted, fit_margins
from ibmap.model.pseudo_likelihood import fit_pseudo_likelihood, subsets
from ibmap.model.triangulation import JunctionTree, junction_tree
from ibmap.options import as_choice

POTENTIALS = ("auto", "cliques", "pairwise")
METHODS = ("auto", "closed-form", "proportional-fitting", "pseudo-likelihood")
MAX_SUBSET_CELLS = 2**13  # of pseudo-likelihood with potentials over cliques: a few times the edges
MAX_SWEEP_CELLS = 2**24  # cells that one sweep of proportional fitting goes over: about a tenth of a second


@dataclass(frozen=True)
class FitOptions:
    """How parameters are estimated."""

    # data points spread evenly over all configurations; 0 is plain maximum likelihood
    prior_strength: float = 1.0
    potentials: str = "auto"  # one of POTENTIALS: one a maximal clique, or one an edge
    method: str = "auto"  # one of METHODS
    n_threads: int | None = None  # threads of the pseudo-likelihood; the result does not depend on it

    def __post_init__(self) -> None:
        as_choice(self.potentials, "potentials", POTENTIALS)
        as_choice(self.method, "method", METHODS)
        strength = self.prior_strength
        is_number = isinstance(strength, (int, float)) and not isinstance(strength, bool)
        if not is_number or not 0 <= strength < math.inf:
            msg = f"prior_strength must be a number of at least 0, or 'validate'; got {strength!r}"
            raise InvalidOptionError(msg)


@dataclass(frozen=True)
class FitReport:
    """How the parameters of a network were found."""

    method: str  # one of METHODS but "auto"; the first two are maximum likelihood
    potentials: str  # "cliques" or "pairwise"
    prior_strength: float  # data points spread evenly over all configurations
    converged: bool
    n_iterations: int  # sweeps or steps it took; 0 for the closed form
    n_parameters: int
    n_samples: int  # data points used
    # each prior strength tried, with the mean log-likelihood (or pseudo-log-likelihood) of held-out rows
    validated: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class _Plan:
    """What the structure allows."""

    scopes: list[tuple[int, ...]]
    tree: JunctionTree | None
    potentials: str
    method: str


def fit_potentials(
    table: EncodedTable, graph: MarkovGraph, options: FitOptions
) -> tuple[Potentials, FitReport]:
    """Estimate the parameters of a structure."""
    if not table.n_samples:
        msg = "the table has no rows; parameters need at least one"
        raise InvalidTableError(msg)
    data = table.compressed()
    plan = _planned(data, graph, options)
    fitted = _fitted(data, plan, options)
    if not fitted.converged:
        warnings.warn(_not_converged(plan, fitted), FittingWarning, stacklevel=3)
    shape = tuple(data.cardinalities.tolist())
    report = FitReport(
        plan.method,
        plan.potentials,
        float(options.prior_strength),
        fitted.converged,
        fitted.n_iterations,
        _n_parameters(plan.scopes, shape),
        table.n_samples,
    )
    return Potentials(shape, fitted.factors), report


def _planned(table: EncodedTable, graph: MarkovGraph, options: FitOptions) -> _Plan:
    """Choose the potentials and the method."""
    shape = table.cardinalities.tolist()
    tree = junction_tree(graph.adjacency, shape, max_cells=MAX_CELLS)
    scopes, potentials = _scopes(graph, shape, options)
    plan = _Plan(scopes, tree, potentials, options.method)
    is_closed = tree is not None and tree.n_filled == 0 and sorted(tree.cliques) == sorted(scopes)
    is_cheap = tree is not None and _sweep_cells(tree, scopes, shape) <= MAX_SWEEP_CELLS
    if options.method == "auto":
        likelihood = "proportional-fitting" if is_cheap else "pseudo-likelihood"
        plan = replace(plan, method="closed-form" if is_closed else likelihood)
    is_wide = options.potentials == "auto" and _subset_cells(plan, shape) > MAX_SUBSET_CELLS
    if plan.method == "pseudo-likelihood" and is_wide:
        return replace(plan, scopes=pairwise_scopes(graph), potentials="pairwise")
    if options.method == "closed-form" and not is_closed:
        msg = (
            "there is a closed form only for decomposable graphs (no cycle of four or more without a chord) "
            "with potentials over maximal cliques; take method='auto'"
        )
        raise InvalidOptionError(msg)
    if options.method == "proportional-fitting" and tree is None:
        msg = (
            f"the graph is too dense for maximum likelihood, which needs a table of more than {MAX_CELLS} "
            "cells; take method='pseudo-likelihood'"
        )
        raise TooLargeError(msg)
    return plan


def _scopes(
    graph: MarkovGraph, shape: Sequence[int], options: FitOptions
) -> tuple[list[tuple[int, ...]], str]:
    """Choose the sets of variables that get a potential."""
    if options.potentials != "pairwise":
        try:
            return clique_scopes(graph, shape), "cliques"
        except TooLargeError:
            if options.potentials == "cliques":
                raise
    return pairwise_scopes(graph), "pairwise"


def _subset_cells(plan: _Plan, shape: Sequence[int]) -> int:
    """Bound the cells of all parts of all potentials, which pseudo-likelihood goes over for every row."""
    return sum(math.prod(shape[v] + 1 for v in scope) for scope in plan.scopes)


def _sweep_cells(tree: JunctionTree, scopes: Sequence[tuple[int, ...]], shape: Sequence[int]) -> int:
    """Count the cells a sweep of proportional fitting goes over."""
    sizes = [math.prod(shape[v] for v in clique) for clique in tree.cliques]
    return sum(sizes[tree.home(scope)] for scope in scopes) + 2 * sum(sizes)


def _fitted(table: EncodedTable, plan: _Plan, options: FitOptions) -> Fitted:
    """Run the method chosen."""
    strength = float(options.prior_strength)
    if plan.method == "closed-form" and plan.tree is not None:
        return Fitted(tuple(decomposable_factors(table, plan.tree, strength)), True, 0)
    if plan.method == "proportional-fitting" and plan.tree is not None:
        margins = [margin(table, scope, strength) for scope in plan.scopes]
        return fit_margins(plan.tree, table.cardinalities.tolist(), plan.scopes, margins)
    fitted = fit_pseudo_likelihood(table, subsets(plan.scopes), strength, n_threads=options.n_threads)
    if plan.potentials == "pairwise":
        return fitted
    shape = table.cardinalities.tolist()
    return replace(fitted, factors=tuple(merged(fitted.factors, plan.scopes, shape)))


def _n_parameters(scopes: Sequence[tuple[int, ...]], shape: Sequence[int]) -> int:
    """Count the free parameters: those of all centred tables."""
    return sum(math.prod(shape[v] - 1 for v in part) for part in subsets(scopes))


def _not_converged(plan: _Plan, fitted: Fitted) -> str:
    """Say that the optimum was not reached, and what to do."""
    return (
        f"{plan.method} stopped after {fitted.n_iterations} iterations before the optimum was reached; "
        "the parameters are usable but not the best. Raise prior_strength: without a prior the optimum "
        "may lie at infinity"
    )
