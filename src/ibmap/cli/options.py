"""The words that options take, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    from ibmap.export.formats import Network
    from ibmap.table import EncodedTable


class Algorithm(StrEnum):
    """The learners."""

    ibmap = "ibmap"
    hc = "hc"
    ts = "ts"
    gsmn = "gsmn"
    gsmn_star = "gsmn-star"
    gsimn = "gsimn"
    iamb = "iamb"
    hiton = "hiton"


class Missing(StrEnum):
    """What to do with missing values."""

    error = "error"
    drop = "drop"
    state = "state"


class Test(StrEnum):
    """Tests of independence."""

    bayesian = "bayesian"
    pairwise = "pairwise"
    chi_square = "chi-square"
    g = "g"


class Closure(StrEnum):
    """Algorithms whose runs a tree search goes through."""

    gsmn = "gsmn"
    gsmn_star = "gsmn-star"
    gsimn = "gsimn"


class Rule(StrEnum):
    """When GSMN joins two variables."""

    either = "or"
    both = "and"


class Grow(StrEnum):
    """How often GSMN grows a blanket."""

    once = "once"
    repeat = "repeat"


class Order(StrEnum):
    """In which order GSMN tries variables."""

    association = "association"
    columns = "columns"


class Hyperparameters(StrEnum):
    """Dirichlet parameters of the Bayesian test."""

    sums = "sums"
    ones = "ones"
    bdeu = "bdeu"


class Slices(StrEnum):
    """What the Bayesian test splits its prior over."""

    all = "all"
    seen = "seen"


@dataclass(frozen=True)
class Reading:
    """How a table is read from a file.

    Parameters
    ----------
    missing : str
        What to do with missing values.
    bins : str, int, dict or None
        How to cut numbers into intervals.
    drop : tuple of str
        Columns to leave out.
    keep : tuple of str or None
        Columns to keep; all if None.
    text : dict
        How a text file is written: separator, encoding, na, header.
    """

    missing: str = "error"
    bins: Any = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] | None = None
    text: Mapping[str, Any] = field(default_factory=dict)

    def read(self, source: str) -> EncodedTable:
        """Read and encode a table.

        Parameters
        ----------
        source : str
            A file, or ``-`` for standard input.

        Returns
        -------
        EncodedTable
            The table.
        """
        from ibmap.io import encode_file

        return encode_file(
            source, missing=self.missing, bins=self.bins, drop=self.drop, keep=self.keep, **self.text
        )


def text_options(
    separator: str | None, encoding: str | None, na: Sequence[str] | None, no_header: bool
) -> dict[str, Any]:
    """Collect what was said about a text file.

    Parameters
    ----------
    separator : str or None
        Between two values.
    encoding : str or None
        How characters are written.
    na : sequence of str or None
        What stands for a missing value.
    no_header : bool
        Whether the first line is data.

    Returns
    -------
    dict
        Options of `ibmap.io.read_table`; what was not said is left out.

    Examples
    --------
    >>> text_options(";", None, None, False)
    {'separator': ';'}
    """
    said = {"separator": separator, "encoding": encoding, "na": tuple(na) if na else None}
    options: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    return options | {"header": False} if no_header else options


def reading_as_learned(
    network: Network, missing: Missing | None, bins: Any, text: Mapping[str, Any]
) -> Reading:
    """Read the columns of a network from a table, the way it was learned unless told otherwise.

    Parameters
    ----------
    network : SearchResult or MarkovGraph
        The network.
    missing : Missing or None
        What was said about missing values.
    bins : str, int, dict or None
        What was said about intervals.
    text : dict
        How a text file is written.

    Returns
    -------
    Reading
        How to read the table.
    """
    from ibmap.export import graph_of
    from ibmap.result import SearchResult

    used = network.provenance.options if isinstance(network, SearchResult) else {}
    usual = used.get("missing") if used.get("missing") in set(Missing) else "error"
    rule = used.get("bins") if isinstance(used.get("bins"), int | dict) else None
    rule = used["bins"] if used.get("bins") in ("width", "frequency") else rule
    return Reading(
        missing=missing.value if missing else str(usual),
        bins=rule if bins is None else bins,
        keep=graph_of(network).names,
        text=text,
    )


def read_bins(rules: Sequence[str] | None) -> Any:
    """Read the values of ``--bins``.

    Parameters
    ----------
    rules : sequence of str or None
        One rule for the whole table, or ``column=rule`` for each of some columns.

    Returns
    -------
    str, int, dict or None
        As `ibmap.encode` takes it.

    Examples
    --------
    >>> read_bins(["width"]), read_bins(["5"]), read_bins(["age=5", "price=frequency"])
    ('width', 5, {'age': 5, 'price': 'frequency'})
    """
    if not rules:
        return None
    named = [rule for rule in rules if "=" in rule]
    if not named and len(rules) == 1:
        return _bin_rule(rules[0])
    if len(named) < len(rules):
        given = " ".join(f"--bins {rule}" for rule in rules)
        msg = f"{given}: give --bins once for the whole table, or COLUMN=RULE each time"
        raise InvalidOptionError(msg)
    parts = (rule.rsplit("=", 1) for rule in named)
    return {column: _bin_rule(rule) for column, rule in parts}


def _bin_rule(rule: str) -> str | int:
    """Read one rule."""
    if rule in ("width", "frequency"):
        return rule
    try:
        return int(rule)
    except ValueError:
        msg = f"--bins {rule}: it must be width, frequency, a number of bins, or COLUMN=one of these"
        raise InvalidOptionError(msg) from None


def check_outputs(paths: Sequence[str]) -> None:
    """Refuse outputs that could not be written, before any work is done.

    Parameters
    ----------
    paths : sequence of str
        Where networks shall go.
    """
    from ibmap.export import check_writable

    for path in paths:
        check_writable(path)
        check_folder(path)


def check_folder(path: str) -> None:
    """Refuse a file whose folder is not there.

    Parameters
    ----------
    path : str
        Where a file shall go.
    """
    folder = Path(path).parent
    if not folder.is_dir():
        msg = f"cannot write {path!r}: there is no folder {str(folder)!r}; create it first"
        raise FileNotFoundError(msg)
