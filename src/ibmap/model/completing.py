"""Rows out of a network: samples, and completions of rows with gaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.containers import pandas_names
from ibmap.errors import ImpossibleEvidenceError
from ibmap.model.gibbs import draw_rows
from ibmap.model.new_rows import GAP
from ibmap.model.potentials import Codes
from ibmap.model.questions import Questions, patterns
from ibmap.options import RandomState, as_choice, as_count, as_generator
from ibmap.simulate.sampling import GibbsPlan

if TYPE_CHECKING:
    import polars as pl


class Drawing(Questions):
    """Rows from potentials; a base of `MarkovNetwork`."""

    pandas_names: Mapping[str, Any] | None  # of a frame that it was fitted on

    def sample(
        self,
        n_samples: int,
        *,
        random_state: RandomState = None,
        method: str = "auto",
        plan: GibbsPlan | None = None,
    ) -> Any:
        """Draw rows.

        Parameters
        ----------
        n_samples : int
            Rows to draw.
        random_state : int, numpy.random.Generator or None
            Seed. The same seed gives the same rows, whatever the number of threads.
        method : {"auto", "exact", "gibbs"}
            ``exact`` draws independent rows from a junction tree, ``gibbs`` runs Markov chains,
            ``auto`` is exact where the junction tree is small enough.
        plan : GibbsPlan, optional
            Burn-in, thinning and chains.

        Returns
        -------
        polars.DataFrame or pandas.DataFrame
            Labels, one column a variable; a frame of pandas if the network was fitted on one.

        Warns
        -----
        SamplingWarning
            If the chains disagree.
        """
        as_choice(method, "method", ("auto", "exact", "gibbs"))
        n_samples = as_count(n_samples, "n_samples", low=0)
        rng = as_generator(random_state)
        if method == "exact" or (method == "auto" and self.exact.tree() is not None):
            codes = self.exact.sample(n_samples, rng)
        else:
            codes = draw_rows(self.potentials, n_samples, plan or GibbsPlan(), rng)
        return _in_pandas(self.frame(codes), self.pandas_names)

    def complete(self, rows: Any, *, unseen: str = "error") -> Any:
        """Fill the gaps of each row by their most probable joint states given the rest of it.

        Parameters
        ----------
        rows, unseen
            As for `log_likelihood`.

        Returns
        -------
        polars.DataFrame or pandas.DataFrame
            Labels, one column a variable, no gaps. Of equally probable completions, one. A frame of
            pandas comes back as one, with its index.

        Raises
        ------
        TooLargeError
            If the values there are leave too dense a graph.
        ImpossibleEvidenceError
            If the values of a row have probability zero together.
        """
        codes = self.variables.read(rows, gaps=True, unseen=unseen)
        for evidence, members in patterns(codes, (codes == GAP).any(axis=1)):
            impossible = np.isneginf(self.exact.log_partition(evidence))
            if impossible.any():
                msg = f"the values of row {members[impossible][0]} have probability zero together"
                raise ImpossibleEvidenceError(msg)
            codes[members] = self.exact.most_probable(evidence)
        names = pandas_names(rows, [*map(str, getattr(rows, "columns", ()))])
        return _in_pandas(self.frame(codes), names, getattr(rows, "index", None))

    def frame(self, codes: Codes) -> pl.DataFrame:
        """Turn states into labels.

        Parameters
        ----------
        codes : ndarray of shape (n_rows, n_variables)
            States of all variables.

        Returns
        -------
        polars.DataFrame
            One column a variable. Labels of several types make a column of objects.
        """
        import polars as pl

        columns = zip(self.variables.names, self.variables.states, np.asarray(codes).T, strict=True)
        return pl.DataFrame([_series(name, states, column) for name, states, column in columns])


def _in_pandas(frame: pl.DataFrame, names: Mapping[str, Any] | None, index: Any = None) -> Any:
    """Give a frame of pandas with its own names where there are any."""
    if names is None:
        return frame
    import pandas

    columns = {names.get(each.name, each.name): each.to_list() for each in frame}
    return pandas.DataFrame(columns, index=index)


def _series(name: str, states: tuple[Any, ...], codes: NDArray[np.integer]) -> pl.Series:
    """Look up the labels of one column."""
    import polars as pl

    kinds = {type(label) for label in states if label is not None}
    is_huge = kinds == {int} and any(label is not None and not -(2**63) <= label < 2**63 for label in states)
    if len(kinds) > 1 or is_huge or not kinds <= {str, int, float, bool}:
        return pl.Series(name, [states[code] for code in codes.tolist()], dtype=pl.Object)
    dtypes: dict[Any, Any] = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}
    labels = pl.Series(name, states, dtype=dtypes[kinds.pop()] if kinds else pl.Null)
    return labels.gather(np.asarray(codes, np.int64))
