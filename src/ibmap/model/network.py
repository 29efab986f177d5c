"""A complete Markov network: structure, states and parameters."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibmap.data.atomic import write_atomically
from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.data.text import either, read_text
from ibmap.errors import FileFormatError, FittingWarning, InvalidOptionError
from ibmap.graph import MarkovGraph, as_graph
from ibmap.model import network_file
from ibmap.model.completing import Drawing
from ibmap.model.conversions import to_pgmpy, to_pyagrum
from ibmap.model.fitting import FitOptions, FitReport, fit_potentials
from ibmap.model.holes import fit_with_holes
from ibmap.model.new_rows import Variables
from ibmap.model.plausibility import unlike_data
from ibmap.model.potentials import Factor, Potentials, check_cliques
from ibmap.model.uai import parse_uai, uai_text
from ibmap.model.validation import fit_validated
from ibmap.options import RandomState

if TYPE_CHECKING:
    from ibmap.model.classifier import NetworkClassifier


@dataclass(frozen=True, eq=False, repr=False)
class MarkovNetwork(Drawing):
    """A Markov network with its parameters: Pr(x) = exp(sum of the factors at x) / Z.

    Parameters
    ----------
    graph : MarkovGraph
        The structure.
    states : tuple of tuple
        Labels of the states of each variable.
    factors : tuple of Factor
        Log-potentials, each over variables that are all joined.
    report : FitReport, optional
        How the parameters were found.
    bin_edges : dict of str to tuple of float
        Where columns of numbers were cut into intervals.
    pandas_names : dict of str to object, optional
        The names of the columns of a pandas frame that it was fitted on; rows then come back as one. Files
        do not keep it.

    Examples
    --------
    >>> rows = [["sun", "play"], ["sun", "play"], ["sun", "stay"], ["rain", "stay"]]
    >>> model = MarkovNetwork.fit(rows, [[0, 1], [1, 0]], prior_strength=0)
    >>> model
    MarkovNetwork(2 variables, 1 edges, 3 parameters by closed-form)
    >>> {label: round(p, 3) for label, p in model.marginals("x1", given={"x0": "sun"}).items()}
    {'play': 0.667, 'stay': 0.333}
    """

    graph: MarkovGraph
    states: tuple[tuple[Any, ...], ...]
    factors: tuple[Factor, ...]
    report: FitReport | None = None
    bin_edges: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    pandas_names: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        for name in ("states", "factors"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        check_cliques(self.graph, self.factors)
        _ = self.potentials  # refused here if shapes do not fit

    @classmethod
    def fit(  # noqa: PLR0913 - keyword-only options
        cls,
        table: Any,
        graph: Any,
        *,
        prior_strength: float | str = 1.0,
        potentials: str = "auto",
        method: str = "auto",
        held_out: Any = 0.1,
        random_state: RandomState = 0,
        missing: str = "error",
        bins: Any = None,
        n_threads: int | None = None,
    ) -> MarkovNetwork:
        """Estimate the parameters of a structure from a table.

        Parameters
        ----------
        table : table
            Anything `ibmap.encode` takes: a frame, an array, a list of rows, an `EncodedTable`.
        graph : MarkovGraph, networkx.Graph, array_like or SearchResult
            The structure over its columns.
        prior_strength : float or "validate"
            How many data points, spread evenly over all configurations, are added to the
            table. 0 is plain maximum likelihood, which holds impossible what it has not seen.
            ``validate`` tries strengths from 0.1 to 1000 on held-out rows.
        potentials : {"auto", "cliques", "pairwise"}
            One potential a maximal clique, or one an edge. ``auto`` takes cliques as long as
            none has more than 2**10 cells.
        method : {"auto", "closed-form", "proportional-fitting", "pseudo-likelihood"}
            ``closed-form`` (decomposable graphs) and ``proportional-fitting`` are maximum likelihood,
            which needs exact inference; ``pseudo-likelihood`` predicts every variable from its
            neighbours, and works for any graph. ``auto`` is the first of them that is feasible.
        held_out : float or table
            For ``validate``: the share of the rows to hold out, or other rows.
        random_state : int, numpy.random.Generator or None
            For ``validate``: which rows.
        missing : {"error", "drop", "state", "use"}
            As for `ibmap.encode`. With ``use`` holes are drawn from the fitted network, in turn with the
            fit (stochastic EM), so that all that the rows show counts.
        bins : {"width", "frequency"}, int or dict, optional
            As for `ibmap.encode`.
        n_threads : int, optional
            Threads; every available processor by default. The result does not depend on it.

        Returns
        -------
        MarkovNetwork
            With `report` on how it was found.

        Warns
        -----
        FittingWarning
            If the optimum was not reached, or if a network fitted by pseudo-likelihood draws rows
            nothing like the table.

        Examples
        --------
        >>> model = MarkovNetwork.fit([[0, 0], [1, 1], [1, 1]], [[0, 1], [1, 0]])
        >>> model.report.method
        'closed-form'
        """
        data = encode(table, missing=missing, bins=bins)
        structure = as_graph(getattr(graph, "graph", graph) if _is_result(graph) else graph, data.names)
        if data.missing is not None:
            options = FitOptions(_number(prior_strength), potentials, method, n_threads)
            found, report, data = fit_with_holes(data, structure, options)
        elif prior_strength == "validate":
            options = FitOptions(1.0, potentials, method, n_threads)
            aside = held_out if isinstance(held_out, float) else _in_codes(held_out, data)
            found, report = fit_validated(data, structure, options, aside, random_state)
        else:
            options = FitOptions(prior_strength, potentials, method, n_threads)  # type: ignore[arg-type]
            found, report = fit_potentials(data, structure, options)
        warning = unlike_data(found, data) if report.method == "pseudo-likelihood" else ""
        if warning:
            warnings.warn(warning, FittingWarning, stacklevel=2)
        source = data.preparation
        return cls(structure, data.labels, found.factors, report, source.bin_edges, source.pandas_names)

    def classifier(self, column: int | str) -> NetworkClassifier:
        """View one variable as a fitted scikit-learn classifier.

        Parameters
        ----------
        column : str or int
            The variable to predict from all others.

        Returns
        -------
        NetworkClassifier
            With `predict`, `predict_proba`, `classes_`, `score`.
        """
        from ibmap.model.classifier import NetworkClassifier

        return NetworkClassifier.of(self, column)

    def save(self, path: str | Path) -> None:
        """Write the whole network to a JSON file.

        Parameters
        ----------
        path : str or Path
            Where; written whole or not at all. `load` gives back every number exactly.
        """
        network_file.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> MarkovNetwork:
        """Read a network that `save` wrote.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        MarkovNetwork
            As it was.

        Raises
        ------
        FileFormatError
            If it is not a model file.
        """
        return cls(**network_file.load(path))

    def save_uai(self, path: str | Path) -> None:
        """Write the potentials in the UAI format, which has no names.

        Parameters
        ----------
        path : str or Path
            Where; written whole or not at all.
        """
        write_atomically(path, uai_text(self.potentials))

    @classmethod
    def load_uai(
        cls,
        path: str | Path,
        *,
        names: Sequence[str] | None = None,
        states: Sequence[Sequence[Any]] | None = None,
    ) -> MarkovNetwork:
        """Read a network in the UAI format.

        Parameters
        ----------
        path : str or Path
            The file.
        names : sequence of str, optional
            Names of the variables; ``x0, x1, ...`` by default.
        states : sequence of sequences, optional
            Labels of the states of each; 0, 1, ... by default.

        Returns
        -------
        MarkovNetwork
            Its graph joins the variables that are together in a factor.
        """
        try:
            found = parse_uai(read_text(path))
        except FileFormatError as error:
            msg = f"{path}: {error}"
            raise FileFormatError(msg) from None
        names = [f"x{v}" for v in range(found.n_variables)] if names is None else names
        labels = [range(c) for c in found.cardinalities] if states is None else states
        graph = graph_of_factors(names, found.factors)
        return cls(graph, tuple(tuple(each) for each in labels), found.factors)

    def to_pyagrum(self) -> Any:
        """Give the network as a pyAgrum MarkovRandomField.

        Returns
        -------
        pyagrum.MarkovRandomField
            The same distribution; labels become text.

        Raises
        ------
        MissingLibraryError
            Without pyAgrum: ``pip install 'ibmap[inference]'``.
        """
        return to_pyagrum(self.variables, self.potentials)

    def to_pgmpy(self) -> Any:
        """Give the network as a pgmpy DiscreteMarkovNetwork.

        Returns
        -------
        pgmpy.models.DiscreteMarkovNetwork
            The same distribution.

        Raises
        ------
        MissingLibraryError
            Without pgmpy: ``pip install 'ibmap[pgmpy]'``.
        """
        return to_pgmpy(self.variables, self.potentials)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.graph.names

    @cached_property
    def variables(self) -> Variables:  # type: ignore[override]
        """Names and states, with which rows are read."""
        return Variables(self.graph.names, self.states, self.bin_edges)

    @cached_property
    def potentials(self) -> Potentials:  # type: ignore[override]
        """The factors over numbered variables."""
        return Potentials(tuple(map(len, self.states)), self.factors)

    def __repr__(self) -> str:
        how = (
            "" if self.report is None else f", {self.report.n_parameters} parameters by {self.report.method}"
        )
        return f"MarkovNetwork({self.graph.n_variables} variables, {self.graph.n_edges} edges{how})"


def _in_codes(rows: Any, table: EncodedTable) -> EncodedTable:
    """Read other rows in the states of a table."""
    known = Variables(table.names, table.labels, table.preparation.bin_edges)
    weights = rows.weights if isinstance(rows, EncodedTable) else None
    return EncodedTable.from_codes(known.read(rows), list(known.cardinalities), table.names, weights)


def _number(prior_strength: float | str) -> Any:
    """Refuse to choose the prior by rows that do not show everything."""
    if prior_strength == "validate":
        asked = either("prior_strength='validate'", "--prior-strength validate")
        remedy = either("missing='drop'", "--missing drop")
        msg = f"{asked} needs rows without missing cells; give a number, or read the table with {remedy}"
        raise InvalidOptionError(msg)
    return prior_strength


def _is_result(graph: Any) -> bool:
    """Tell whether a graph argument is a result that holds a graph."""
    return isinstance(getattr(graph, "graph", None), MarkovGraph)


def graph_of_factors(names: Sequence[str], factors: Iterable[Factor]) -> MarkovGraph:
    """Join all variables that are together in a factor."""
    edges = {(u, v) for f in factors for u in f.variables for v in f.variables if u < v}
    return MarkovGraph.from_edges(len(names), sorted(edges), names)
