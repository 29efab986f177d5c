"""A Markov network with pairwise potentials, and samples of it.

Pr(x) is proportional to the product of ψ(x_i, x_j) over the edges (i, j) and
of exp(h_i(x_i)) over the variables.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibmap.errors import InvalidOptionError, InvalidTableError, SamplingWarning, TooLargeError
from ibmap.graph import MarkovGraph
from ibmap.options import RandomState, as_choice, as_count, as_generator
from ibmap.simulate.diagnosis import worst_r_hat
from ibmap.simulate.sampling import Blankets, GibbsPlan, sample_exact, sample_gibbs

METHODS = ("auto", "exact", "gibbs")
MAX_CONFIGURATIONS = 2**20  # as many are enumerated in a tenth of a second; beyond that, Gibbs is faster


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseNetwork:
    """A Markov network of discrete variables with one potential an edge.

    Parameters
    ----------
    graph : MarkovGraph
        The structure.
    log_potentials : sequence of ndarray
        For each edge (i, j) of `graph.edges`, i < j, the logarithm of its
        potential, [state of i, state of j].
    fields : sequence of ndarray
        For each variable the node term h of each of its states.

    Examples
    --------
    >>> from ibmap.simulate import random_network
    >>> network = random_network(5, 2, random_state=1)
    >>> network
    PairwiseNetwork(5 variables, 5 edges)
    >>> network.sample(3, random_state=1).shape
    (3, 5)
    """

    graph: MarkovGraph
    log_potentials: Sequence[NDArray[np.float64]]
    fields: Sequence[NDArray[np.float64]]

    def __post_init__(self) -> None:
        object.__setattr__(self, "log_potentials", tuple(map(_frozen, self.log_potentials)))
        object.__setattr__(self, "fields", tuple(map(_frozen, self.fields)))
        _check_shapes(self.graph, self.log_potentials, self.fields)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.fields)

    @cached_property
    def cardinalities(self) -> NDArray[np.int64]:
        """Number of states of each variable."""
        return np.array([len(field) for field in self.fields], np.int64)

    @property
    def potentials(self) -> dict[tuple[int, int], NDArray[np.float64]]:
        """The potential ψ of each edge (i, j), i < j: [state of i, state of j]."""
        pairs = zip(self.graph.edges, self.log_potentials, strict=True)
        return {edge: np.exp(table) for edge, table in pairs}

    @property
    def n_configurations(self) -> int:
        """Number of joint states of all variables."""
        return math.prod(self.cardinalities.tolist())

    def log_unnormalised(self, codes: ArrayLike) -> NDArray[np.float64]:
        """Add up the log-potentials and fields of rows of states.

        Parameters
        ----------
        codes : array_like of int, shape (n_rows, n_variables)
            States of all variables.

        Returns
        -------
        ndarray of shape (n_rows,)
            Logarithm of each row's probability, up to a constant of the network.

        Examples
        --------
        >>> from ibmap.simulate import random_network
        >>> random_network(3, structure="chain", log_odds=4.0).log_unnormalised([[0, 0, 0], [0, 1, 0]])
        array([ 2., -2.])
        """
        states = self._checked_codes(codes)
        return self._total(states, self._edge_terms(states))

    def probabilities(self) -> NDArray[np.float64]:
        """Enumerate the probability of every configuration.

        Returns
        -------
        ndarray of shape cardinalities
            One axis a variable; the sum is 1.

        Raises
        ------
        TooLargeError
            If there are more than 2**20 configurations.

        Examples
        --------
        >>> from ibmap.simulate import random_network
        >>> random_network(2, 1).probabilities().round(3)
        array([[0.311, 0.189],
               [0.189, 0.311]])
        """
        if self.n_configurations > MAX_CONFIGURATIONS:
            msg = (
                f"{self.n_variables} variables have {self.n_configurations:.3g} configurations; "
                f"at most {MAX_CONFIGURATIONS} are enumerated. Sample with method='gibbs' instead "
                "(command line: --method gibbs)"
            )
            raise TooLargeError(msg)
        logs = np.zeros(self.cardinalities)
        for x, field in enumerate(self.fields):
            logs += self._broadcast(field, x)
        for (x, y), table in zip(self.graph.edges, self.log_potentials, strict=True):
            logs += self._broadcast(table, x, y)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def sample(
        self,
        n_samples: int,
        *,
        random_state: RandomState = None,
        method: str = "auto",
        burn_in: int = 1000,
        thinning: int = 10,
        n_chains: int = 8,
        n_threads: int | None = None,
    ) -> NDArray[np.uint16]:
        """Draw rows of states.

        Parameters
        ----------
        n_samples : int
            Rows to draw.
        random_state : int, numpy.random.Generator or None
            Seed. The same seed gives the same rows, whatever the number of
            threads, and a smaller sample is the beginning of a larger one.
        method : {"auto", "exact", "gibbs"}
            ``exact`` draws independently from the enumerated probabilities,
            ``gibbs`` runs Markov chains, ``auto`` is exact as long as there are
            at most 2**20 configurations. The options below are Gibbs's.
        burn_in : int
            Sweeps over all variables before a chain's first draw.
        thinning : int
            Sweeps from one draw of a chain to the next.
        n_chains : int
            Chains, started far apart; row r is a draw of chain ``r % n_chains``.
        n_threads : int, optional
            Threads the chains run on; every available processor by default.

        Returns
        -------
        ndarray of shape (n_samples, n_variables)
            State of each variable in each row, from 0, in the order of `graph.names`.

        Warns
        -----
        SamplingWarning
            If the chains disagree: split R-hat of a variable, of an edge's
            log-potential or of their total exceeds 1.1, and by more than chance
            explains. It needs 4 rows a chain.

        Examples
        --------
        >>> from ibmap.simulate import random_network
        >>> network = random_network(30, 2, random_state=1)
        >>> network.sample(1000, random_state=2).shape
        (1000, 30)
        """
        as_choice(method, "method", METHODS)
        n_samples = as_count(n_samples, "n_samples", low=0)
        rng = as_generator(random_state)
        plan = GibbsPlan(burn_in, thinning, n_chains, n_threads)
        if method == "exact" or (method == "auto" and self.n_configurations <= MAX_CONFIGURATIONS):
            return sample_exact(self.probabilities(), n_samples, rng)
        codes = sample_gibbs(self._blankets, n_samples, plan, rng)
        disagreement = self._disagreement(codes, plan)
        if disagreement:
            warnings.warn(disagreement, SamplingWarning, stacklevel=2)
        return codes

    @cached_property
    def _blankets(self) -> Blankets:
        """The network, variable by variable."""
        return Blankets.of(self.graph.edges, self.log_potentials, self.fields)

    def _disagreement(self, codes: NDArray[np.uint16], plan: GibbsPlan) -> str:
        """Say on what the chains disagree; nothing if they do not."""
        terms = self._edge_terms(codes)
        statistics = np.column_stack([codes, terms, self._total(codes, terms)])
        worst = worst_r_hat(statistics, plan.n_chains)
        if worst is None:
            return ""
        r_hat, column = worst
        return (
            f"the Gibbs chains disagree on {self._statistic_name(column)}: split R-hat {r_hat:.3g}, "
            f"more than 1.1. The rows may not represent the network. Raise thinning (now {plan.thinning}) "
            f"and burn_in (now {plan.burn_in}), or weaken the network (log_odds); "
            f"up to {MAX_CONFIGURATIONS} configurations, method='exact' avoids chains"
        )

    def _statistic_name(self, column: int) -> str:
        """Name a column of the statistics that the diagnosis compares."""
        if column < self.n_variables:
            return f"variable {self.graph.names[column]!r}"
        if column - self.n_variables < self.graph.n_edges:
            i, j = self.graph.edges[column - self.n_variables]
            return f"the edge between {self.graph.names[i]!r} and {self.graph.names[j]!r}"
        return "the total log-potential"

    def _edge_terms(self, states: NDArray[np.integer]) -> NDArray[np.float64]:
        """Look up each edge's log-potential in each row."""
        terms = np.empty((len(states), self.graph.n_edges))
        for k, ((i, j), table) in enumerate(zip(self.graph.edges, self.log_potentials, strict=True)):
            terms[:, k] = table[states[:, i], states[:, j]]
        return terms

    def _total(self, states: NDArray[np.integer], terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add the fields to the edges' terms, row by row."""
        total: NDArray[np.float64] = terms.sum(axis=1)
        for x, field in enumerate(self.fields):
            total += field[states[:, x]]
        return total

    def _broadcast(self, term: NDArray[np.float64], *variables: int) -> NDArray[np.float64]:
        """Shape a term so that it broadcasts over all configurations."""
        shape = np.ones(self.n_variables, np.int64)
        shape[list(variables)] = term.shape
        return term.reshape(shape)

    def _checked_codes(self, codes: ArrayLike) -> NDArray[np.integer]:
        """Refuse what is not rows of states of this network."""
        states = np.asarray(codes)
        is_table = states.ndim == 2 and states.shape[1] == self.n_variables
        if not is_table or not np.issubdtype(states.dtype, np.integer):
            msg = f"codes must be whole numbers in {self.n_variables} columns; got shape {states.shape}"
            raise InvalidTableError(msg)
        if ((states < 0) | (states >= self.cardinalities)).any():
            row, x = np.argwhere((states < 0) | (states >= self.cardinalities))[0]
            msg = (
                f"variable {self.graph.names[x]!r} has code {states[row, x]} in row {row}; "
                f"codes must lie in [0, {self.cardinalities[x]})"
            )
            raise InvalidTableError(msg)
        return states

    def __repr__(self) -> str:
        return f"PairwiseNetwork({self.n_variables} variables, {self.graph.n_edges} edges)"


def _frozen(values: ArrayLike) -> NDArray[np.float64]:
    """Copy numbers into an array that cannot be written to."""
    array = np.array(values, np.float64, order="C")
    array.setflags(write=False)
    return array


def _check_shapes(
    graph: MarkovGraph, log_potentials: Sequence[NDArray[np.float64]], fields: Sequence[NDArray[np.float64]]
) -> None:
    """Refuse potentials and fields that do not fit the graph."""
    if len(fields) != graph.n_variables or any(h.ndim != 1 or len(h) < 2 for h in fields):
        msg = f"fields must be {graph.n_variables} arrays, each with a number for each of 2 or more states"
        raise InvalidOptionError(msg)
    if len(log_potentials) != graph.n_edges:
        msg = f"log_potentials must be {graph.n_edges} tables, one an edge; got {len(log_potentials)}"
        raise InvalidOptionError(msg)
    for (i, j), table in zip(graph.edges, log_potentials, strict=True):
        wanted = (len(fields[i]), len(fields[j]))
        if table.shape != wanted:
            msg = f"log_potentials must have shape {wanted} for the edge ({i}, {j}); got {table.shape}"
            raise InvalidOptionError(msg)
    if not all(np.isfinite(values).all() for values in (*log_potentials, *fields)):
        msg = "log_potentials and fields must be finite: a probability of 0 is not possible"
        raise InvalidOptionError(msg)
