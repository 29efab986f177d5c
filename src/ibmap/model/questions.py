"""What can be asked of a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import ImpossibleEvidenceError, InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.model.beliefs import Evidence
from ibmap.model.exact import Exact
from ibmap.model.layout import Conditionals
from ibmap.model.posterior import Posterior
from ibmap.model.potentials import Floats, Potentials
from ibmap.model.rows import GAP, Variables

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

    @cached_property
    def log_partition(self) -> float:
        """Log of Z, the sum over all configurations, exactly."""
        return float(self.exact.log_partition()[0])

    def log_likelihood(self, rows: Any, *, unseen: str = "error") -> Floats:
        """Give the log-probability of each row.

        Parameters
        ----------
        rows : table
            Anything `ibmap.encode` takes. Columns of a frame are found by name and others are
            not looked at; those of an array or list are taken by position. Missing values are summed
            out: the row's value is the log-probability of what it says.
        unseen : {"error", "missing"}
            What to do with values that are no state of the network.

        Returns
        -------
        ndarray of shape (n_rows,)
            Natural logarithms; minus infinity for what the network holds impossible.

        Raises
        ------
        TooLargeError
            If the partition function is out of reach.
        """
        codes = self.variables.read(rows, gaps=True, unseen=unseen)
        values = np.empty(len(codes))
        complete = (codes != GAP).all(axis=1)
        values[complete] = self.potentials.log_unnormalised(codes[complete])
        for evidence, members in _patterns(codes, ~complete):
            values[members] = self.exact.log_partition(evidence)
        return values - self.log_partition

    def pseudo_log_likelihood(self, rows: Any, *, unseen: str = "error") -> Floats:
        """Sum the log-probability of every value of a row given all its others.

        Parameters
        ----------
        rows : table
            As for `log_likelihood`, without missing values.
        unseen : {"error", "missing"}
            What to do with values that are no state of the network.

        Returns
        -------
        ndarray of shape (n_rows,)
            Natural logarithms.
        """
        return self._conditionals.pseudo_log_likelihood(self.variables.read(rows, unseen=unseen))

    def posterior(
        self, of: Variable | Sequence[Variable], given: Mapping[Variable, Any] | None = None
    ) -> Posterior:
        """Give the distribution of some variables, and how it was found.

        Parameters
        ----------
        of : str, int or sequence of these
            Variables, by name or number.
        given : dict, optional
            From variables to the state observed.

        Returns
        -------
        Posterior
            Probabilities of all joint states.

        Raises
        ------
        ImpossibleEvidenceError
            If what is given has probability zero.
        """
        asked = self._asked(of)
        evidence = self._evidence(given or {}, asked)
        logs = self.exact.marginals(asked, evidence)[0]
        if np.isneginf(logs).all():
            raise ImpossibleEvidenceError(_impossible(given or {}))
        names = tuple(self.variables.names[v] for v in asked)
        states = tuple(self.variables.states[v] for v in asked)
        return Posterior(names, states, np.exp(logs), "exact")

    def marginals(
        self, of: Variable | Sequence[Variable], given: Mapping[Variable, Any] | None = None
    ) -> dict[Any, float]:
        """Give the probability of each state of a variable, or joint state of several.

        Parameters
        ----------
        of : str, int or sequence of these
            Variables, by name or number.
        given : dict, optional
            From variables to the state observed.

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
            As for `log_likelihood`; missing values are summed out. The column itself may be
            there or not, and is not looked at.
        column : str or int
            The variable to predict.
        unseen : {"error", "missing"}
            What to do with values that are no state of the network.

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
        for evidence, members in _patterns(codes, ~complete):
            values[members] = np.exp(self.exact.marginals((target,), evidence))
        self._refuse_impossible(values)
        return values

    def predict(self, rows: Any, column: Variable, *, unseen: str = "error") -> NDArray[Any]:
        """Predict the most probable state of one column of each row from the others.

        Parameters
        ----------
        rows : table
            As for `predict_proba`.
        column : str or int
            The variable to predict.
        unseen : {"error", "missing"}
            What to do with values that are no state of the network.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels; the first of equally probable ones.
        """
        labels = as_array(self.variables.states[self.variables.index(column)])
        return np.asarray(labels[self.predict_proba(rows, column, unseen=unseen).argmax(axis=1)])

    def _asked(self, of: Variable | Sequence[Variable]) -> tuple[int, ...]:
        """Find the variables asked about."""
        several = [of] if isinstance(of, (int, str, np.integer)) else list(of)
        asked = tuple(self.variables.index(v) for v in several)
        if not asked or len(set(asked)) < len(asked):
            msg = f"of must name one or more different variables; got {of!r}"
            raise InvalidOptionError(msg)
        return asked

    def _evidence(self, given: Mapping[Variable, Any], asked: Sequence[int]) -> Evidence:
        """Read what is given."""
        codes: dict[int, int] = {}
        for variable, value in given.items():
            v = self.variables.index(variable)
            if v in asked:
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
    """Put labels in an array that keeps them as they are.

    Parameters
    ----------
    labels : sequence
        Any labels.

    Returns
    -------
    ndarray
        Of integers, floats, booleans or strings if all are of one of these types; else of objects.

    Examples
    --------
    >>> as_array(("no", "yes")), as_array((1, "a"))
    (array(['no', 'yes'], dtype='<U3'), array([1, 'a'], dtype=object))
    """
    if len({type(label) for label in labels}) == 1 and isinstance(labels[0], (str, bool, int, float)):
        return np.array(labels)
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def _patterns(
    codes: NDArray[np.int64], chosen: NDArray[np.bool_]
) -> list[tuple[Evidence, NDArray[np.int64]]]:
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
    shown = ", ".join(f"{name}={value!r}" for name, value in given.items())
    return (
        f"{shown} has probability zero in this network, so nothing follows from it. "
        "A network fitted with prior_strength above 0 holds nothing impossible"
    )
