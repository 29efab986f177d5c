"""Inference: likelihoods, posteriors and predictions of a network."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import EstimateWarning, ImpossibleEvidenceError, InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.model.beliefs import Evidence
from ibmap.model.conversions import pyagrum_marginal
from ibmap.model.distribution import Posterior
from ibmap.model.exact import NOTHING, Exact
from ibmap.model.gibbs import estimate
from ibmap.model.layout import Conditionals
from ibmap.model.new_rows import GAP, Variables
from ibmap.model.partition import AnnealingPlan, LogPartition, anneal
from ibmap.model.potentials import Floats, Potentials
from ibmap.options import RandomState, as_choice, as_generator
from ibmap.simulate.sampling import GibbsPlan

Variable = int | str


class Questions:
    """Answers from potentials; the base of `MarkovNetwork`."""

    graph: MarkovGraph
    potentials: Potentials
    variables: Variables

    @cached_property
    def exact(self) -> Exact:
        """The engine of exact answers."""
        return Exact(self.potentials)

    @cached_property
    def _conditionals(self) -> Conditionals:
        """Distributions of a variable given all others."""
        return Conditionals(self.potentials)

    def log_partition(
        self, *, method: str = "auto", random_state: RandomState = 0, n_draws: int = 64, n_steps: int = 2000
    ) -> LogPartition:
        """Give log Z, the log of the sum over all configurations.

        Parameters
        ----------
        method : {"auto", "exact", "annealing"}
            ``exact`` on a junction tree, ``annealing`` an estimate by annealed importance
            sampling, ``auto`` exact where the junction tree is small enough.
        random_state : int, numpy.random.Generator or None
            Seed of the estimate.
        n_draws : int
            Draws of the estimate; its error falls with the square root.
        n_steps : int
            Temperatures each goes through; more are needed the stronger the dependences are.

        Returns
        -------
        LogPartition
            The value, its standard error, and the method.
        """
        as_choice(method, "method", ("auto", "exact", "annealing"))
        plan = AnnealingPlan(n_draws, n_steps)
        if method == "annealing" or (method == "auto" and self.exact.tree() is None):
            return anneal(self.potentials, plan, as_generator(random_state))
        return LogPartition(self._exact_log_partition, 0.0, "exact")

    @cached_property
    def _exact_log_partition(self) -> float:
        """Log Z on a junction tree."""
        found = float(self.exact.log_partition()[0])
        if found == -math.inf:
            raise ImpossibleEvidenceError(NOTHING)
        return found

    @cached_property
    def _usual_log_partition(self) -> float:
        """Log Z, exact or estimated with a warning."""
        found = self.log_partition()
        if found.method != "exact":
            msg = (
                f"the graph is too dense for an exact partition function: log Z is estimated as "
                f"{found.value:.6g}, standard error {found.standard_error:.2g}, which all "
                "log-likelihoods share. log_partition(n_draws=..., n_steps=...) estimates it with more care"
            )
            warnings.warn(msg, EstimateWarning, stacklevel=4)
        return found.value

    def log_likelihood(
        self, rows: Any, *, unseen: str = "error", log_partition: float | LogPartition | None = None
    ) -> Floats:
        """Give the log-probability of each row.

        Parameters
        ----------
        rows : table
            Anything `ibmap.encode` takes. Columns of a frame are found by name and others are
            ignored; those of an array or list are taken by position. Missing values are summed
            out: the row's value is the log-probability of what it says.
        unseen : {"error", "missing"}
            What to do with values that are no state of the network.
        log_partition : float or LogPartition, optional
            Log Z, if it is known already.

        Returns
        -------
        ndarray of shape (n_rows,)
            Natural logarithms; minus infinity for what the network holds impossible.

        Raises
        ------
        TooLargeError
            If values are missing and the others leave too dense a graph to sum them out.

        Warns
        -----
        EstimateWarning
            If log Z had to be estimated; once for each network.
        """
        codes = self.variables.read(rows, gaps=True, unseen=unseen)
        values = np.empty(len(codes))
        complete = (codes != GAP).all(axis=1)
        values[complete] = self.potentials.log_unnormalised(codes[complete])
        for evidence, members in patterns(codes, ~complete):
            values[members] = self.exact.log_partition(evidence)
        if isinstance(log_partition, LogPartition):
            log_partition = log_partition.value
        return values - (self._usual_log_partition if log_partition is None else log_partition)

    def pseudo_log_likelihood(self, rows: Any, *, unseen: str = "error") -> Floats:
        """Sum the log-probability of every value of a row given all its others.

        Parameters
        ----------
        rows, unseen
            As for `log_likelihood`; no value may be missing.

        Returns
        -------
        ndarray of shape (n_rows,)
            Natural logarithms.
        """
        return self._conditionals.pseudo_log_likelihood(self.variables.read(rows, unseen=unseen))

    def posterior(
        self,
        of: Variable | Sequence[Variable],
        given: Mapping[Any, Any] | None = None,
        *,
        method: str = "auto",
        random_state: RandomState = 0,
        n_samples: int = 8000,
        plan: GibbsPlan | None = None,
    ) -> Posterior:
        """Give the distribution of some variables, and how it was found.

        Parameters
        ----------
        of : str, int or sequence of these
            Variables, by name or number.
        given : dict, optional
            From variables to the state observed.
        method : {"auto", "exact", "pyagrum", "gibbs"}
            ``exact`` on a junction tree, ``pyagrum`` by that package, if installed, ``gibbs`` an
            estimate by sampling, ``auto`` exact where the junction tree of what is
            neither observed nor separated by it is small enough, else ``gibbs``.
        random_state : int, numpy.random.Generator or None
            Seed of the estimate.
        n_samples : int
            Draws of the estimate.
        plan : GibbsPlan, optional
            Burn-in, thinning and chains of the estimate.

        Returns
        -------
        Posterior
            Probabilities of all joint states; for an estimate also standard errors and R-hat.

        Raises
        ------
        ImpossibleEvidenceError
            If what is given has probability zero.

        Warns
        -----
        SamplingWarning
            If the chains of an estimate disagree.
        """
        as_choice(method, "method", ("auto", "exact", "pyagrum", "gibbs"))
        targets = self._targets(of)
        evidence = self._evidence(given or {}, targets)
        if method == "auto":
            method = "exact" if self.exact.tree(evidence.variables, targets) is not None else "gibbs"
        names = tuple(self.variables.names[v] for v in targets)
        states = tuple(self.variables.states[v] for v in targets)
        if method == "gibbs":
            rest, free = self.potentials.given(evidence.variables, evidence.codes[0].tolist())
            wanted, rng = [free.index(v) for v in targets], as_generator(random_state)
            found = estimate(rest, wanted, n_samples, plan or GibbsPlan(), rng)
            return Posterior(names, states, found.probabilities, method, found.standard_errors, found.r_hat)
        if method == "pyagrum":
            values = pyagrum_marginal(self.potentials, targets, evidence)
        else:
            values = np.exp(self.exact.marginals(targets, evidence)[0])
        if not values.sum() > 0:
            raise ImpossibleEvidenceError(_impossible(given or {}))
        return Posterior(names, states, values, method)

    def marginals(
        self, of: Variable | Sequence[Variable], given: Mapping[Any, Any] | None = None
    ) -> dict[Any, float]:
        """Give the probability of each state of a variable, or joint state of several.

        Parameters
        ----------
        of, given
            As for `posterior`.

        Returns
        -------
        dict
            From label to probability; from tuple of labels if `of` is a sequence of more than one.

        Raises
        ------
        ImpossibleEvidenceError
            If what is given has probability zero.
        """
        return self.posterior(of, given).as_dict()

    def predict_proba(self, rows: Any, column: Variable, *, unseen: str = "error") -> Floats:
        """Predict one column of each row from the others.

        Parameters
        ----------
        rows : table
            As for `log_likelihood`. The column itself may be there or not, and is ignored.
        column : str or int
            The variable to predict.
        unseen : {"error", "missing"}
            As for `log_likelihood`.

        Returns
        -------
        ndarray of shape (n_rows, n_states)
            Probabilities, in the order of `states[column]`.

        Raises
        ------
        ImpossibleEvidenceError
            If the other values of a row have probability zero.
        """
        target = self.variables.index(column)
        codes = self.variables.read(rows, gaps=True, ignored=(target,), unseen=unseen)
        codes[:, target] = 0
        complete = (codes != GAP).all(axis=1)
        values = np.empty((len(codes), self.potentials.cardinalities[target]))
        values[complete] = self._conditionals.of(target, codes[complete])
        codes[:, target] = GAP
        for evidence, members in patterns(codes, ~complete):
            values[members] = np.exp(self.exact.marginals((target,), evidence))
        self._refuse_impossible(values)
        return values

    def predict(self, rows: Any, column: Variable, *, unseen: str = "error") -> NDArray[Any]:
        """Predict the most probable state of one column of each row from the others.

        Parameters
        ----------
        rows, column, unseen
            As for `predict_proba`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels; the first of equally probable ones.
        """
        labels = as_array(self.variables.states[self.variables.index(column)])
        return np.asarray(labels[self.predict_proba(rows, column, unseen=unseen).argmax(axis=1)])

    def _targets(self, of: Variable | Sequence[Variable]) -> tuple[int, ...]:
        """Find the variables to give the distribution of."""
        several = [of] if isinstance(of, (int, str, np.integer)) else list(of)
        targets = tuple(self.variables.index(v) for v in several)
        if not targets or len(set(targets)) < len(targets):
            msg = f"of must name one or more different variables; got {of!r}"
            raise InvalidOptionError(msg)
        return targets

    def _evidence(self, given: Mapping[Any, Any], targets: Sequence[int]) -> Evidence:
        """Read what is given."""
        codes: dict[int, int] = {}
        for variable, value in given.items():
            v = self.variables.index(variable)
            if v in targets:
                msg = f"{self.variables.names[v]!r} is both asked about and given; leave it out of one"
                raise InvalidOptionError(msg)
            if codes.setdefault(v, self.variables.code(v, value)) != self.variables.code(v, value):
                msg = f"{self.variables.names[v]!r} is given twice, with different states"
                raise InvalidOptionError(msg)
        return Evidence(tuple(codes), np.array([list(codes.values())], np.int64).reshape(1, -1))

    def _refuse_impossible(self, values: Floats) -> None:
        """Refuse rows without a distribution."""
        sums = values.sum(axis=1)
        impossible = np.flatnonzero(np.isnan(sums) | (sums == 0))
        if impossible.size:
            msg = f"the other values of row {impossible[0]} have probability zero: nothing follows from them"
            raise ImpossibleEvidenceError(msg)


def as_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Put labels in an array that keeps them as they are."""
    if len({type(label) for label in labels}) == 1 and isinstance(labels[0], (str, bool, int, float)):
        return np.array(labels)
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def patterns(codes: NDArray[np.int64], chosen: NDArray[np.bool_]) -> list[tuple[Evidence, NDArray[np.int64]]]:
    """Group some rows by which values they have."""
    numbers = np.flatnonzero(chosen)
    if not numbers.size:
        return []
    patterns, groups = np.unique(codes[numbers] != GAP, axis=0, return_inverse=True)
    found = []
    for k, pattern in enumerate(patterns):
        members = numbers[groups.ravel() == k]
        observed = np.flatnonzero(pattern)
        found.append((Evidence(tuple(observed.tolist()), codes[np.ix_(members, observed)]), members))
    return found


def _impossible(given: Mapping[Any, Any]) -> str:
    """Say that evidence has probability zero."""
    if not given:
        return NOTHING
    shown = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return (
        f"{shown} has probability zero in this network, so nothing follows from it. "
        "A network fitted with prior_strength above 0 holds nothing impossible"
    )
