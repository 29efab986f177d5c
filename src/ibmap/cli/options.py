"""What the commands share about tables: the flags, and how they are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from ibmap.cli.flags import argument, flag, member
from ibmap.errors import FileFormatError, InvalidOptionError
from ibmap.learners.options import LearnerOptions, RecommendedOptions
from ibmap.options import declared

if TYPE_CHECKING:
    from ibmap.data.table import EncodedTable
    from ibmap.result.formats.formats import Network

RULES = ("both", "auto", "keep", "width", "frequency")  # of ibmap.data.binning, which loads NumPy
AS_LEARNED = "(default: as the network was learned)"
TABLE = argument(
    "TABLE",
    "CSV, TSV, Parquet, Arrow, Excel, Stata or SPSS file, compressed or not; a pattern in quotes such as "
    "'part-*.parquet', or a folder, for several; - reads standard input.",
)
QUIET = flag(False, "No warnings and no progress bar.", None, "--quiet", "-q", panel="Output")
Missing = Literal["use", "error", "drop", "state"]


@dataclass(frozen=True)
class TextFile:
    """How a text file is written."""

    separator: str | None = member(
        None,
        "Between two values: a character, or tab, comma, semicolon, pipe, space. (default: guessed)",
        "CHAR",
    )
    encoding: str | None = member(None, "How the text is encoded. (default: utf-8)", "NAME")
    na: list[str] | None = member(
        None,
        "A missing value's mark, besides nothing at all. Repeatable. (default: ? NA N/A NaN null)",
        "TEXT",
    )
    no_header: bool = member(
        False, "The first line is data; columns are called x0, x1, ...", None, "--no-header"
    )

    @property
    def text(self) -> dict[str, Any]:
        """Options of `ibmap.data.files.read_table`; what was not given is left out.

        >>> TextFile(";").text
        {'separator': ';'}
        """
        given = {"separator": self.separator, "encoding": self.encoding, "na": tuple(self.na or ()) or None}
        options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        return options | {"header": False} if self.no_header else options


@dataclass(frozen=True)
class _Columns:
    missing: Missing | None = member(
        None, f"{declared(RecommendedOptions)['missing'].help} (default: use with ibmap, error with others)"
    )
    bins: list[str] | None = member(
        None,
        "Numbers, and how to cut them into intervals: both, auto, keep, width, frequency, none, a number, or "
        "COLUMN=one of these. Repeatable. (default: both with ibmap, none with others)",
        "RULE",
    )
    weights: str | None = member(
        None, "The column that counts rows, or weighs them: whole numbers or survey weights.", "COLUMN"
    )
    drop: list[str] | None = member(None, "Leave out a column. Repeatable.", "COLUMN")
    keep: list[str] | None = member(None, "Keep only the columns named. Repeatable.", "COLUMN")


@dataclass(frozen=True)
class Reading(TextFile, _Columns):
    """How the table to learn from is read."""

    @property
    def rules(self) -> dict[str, Any]:
        """Options of a learner; what was not given is left out."""
        given = {} if self.missing is None else {"missing": self.missing}
        return given | ({} if self.bins is None else {"bins": read_bins(self.bins)})

    def read(self, source: str, options: LearnerOptions) -> "EncodedTable":
        """Read and encode a table as a learner wants it."""
        from ibmap.data.files import encode_file

        keep = tuple(self.keep) if self.keep else None
        chosen: dict[str, Any] = {
            "missing": options.missing,
            "bins": options.rule_for_bins,
            "weights": self.weights,
            "max_memory": options.max_memory,
        }
        return encode_file(source, drop=tuple(self.drop or ()), keep=keep, **chosen, **self.text)


@dataclass(frozen=True)
class _ColumnsAsLearned:
    missing: Missing | None = member(None, f"Missing values of the table. {AS_LEARNED}")
    bins: list[str] | None = member(None, f"Cut numbers into intervals, as in learn. {AS_LEARNED}", "RULE")


@dataclass(frozen=True)
class ReadingAsLearned(TextFile, _ColumnsAsLearned):
    """How the table of a network is read: as the network was learned, unless told otherwise."""

    @property
    def given(self) -> dict[str, Any]:
        """What was given, by the names of the options."""
        every = {"missing": self.missing, "bins": self.bins, **self.text}
        return {name: value for name, value in every.items() if value is not None}

    def read(self, source: str, network: "Network") -> "EncodedTable":
        """Read and encode the columns of a network."""
        from ibmap.data.files import encode_file
        from ibmap.result.formats import graph_of

        used = as_learned(network)
        bins = used["bins"] if self.bins is None else read_bins(self.bins)
        missing = self.missing or used["missing"]
        chosen: dict[str, Any] = {"missing": missing, "bins": bins, "weights": used["weights"]}
        return encode_file(source, keep=graph_of(network).names, **chosen, **self.text)


def as_learned(network: "Network") -> dict[str, Any]:
    """Tell how the table of a network was read, as far as the network says so."""
    from ibmap.result import SearchResult

    used: Mapping[str, Any] = network.provenance.options if isinstance(network, SearchResult) else {}
    missing, bins = used.get("missing"), used.get("bins")
    return {
        "missing": missing if missing in get_args(Missing) else "error",
        "bins": bins if isinstance(bins, int | dict) or bins in RULES else None,
        "weights": used["weights"] if isinstance(used.get("weights"), str) else None,
    }


def read_bins(rules: Sequence[str] | None) -> Any:
    """Read the values of ``--bins``: one rule for the whole table, or ``column=rule`` for some columns.

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


def _bin_rule(rule: str) -> str | int | None:
    if rule in RULES or rule == "none":
        return None if rule == "none" else rule
    try:
        return int(rule)
    except ValueError:
        msg = f"--bins {rule}: it must be {', '.join(RULES)}, none, a number of bins, or COLUMN=one of these"
        raise InvalidOptionError(msg) from None


def source_name(table: str) -> str:
    """Name a table read from a file or from standard input."""
    return "standard input" if table == "-" else table


def check_outputs(paths: Sequence[str]) -> None:
    """Refuse network files that could not be written, before any work is done."""
    from ibmap.result.formats import check_writable

    for path in paths:
        check_writable(path)
        check_place(path, "network")


def check_place(path: str, what: str, *endings: str) -> str:
    """Refuse a file that has another ending or whose folder is not there; else give its ending."""
    ending, folder = Path(path).suffix.lower(), Path(path).parent
    if endings and ending not in endings:
        possible = " or ".join(endings) if len(endings) < 3 else f"one of {', '.join(endings)}"
        msg = f"cannot write {path!r}: the name of a {what} must end in {possible}"
        raise FileFormatError(msg)
    if not folder.is_dir():
        msg = f"cannot write {path!r}: there is no folder {str(folder)!r}; create it first"
        raise FileNotFoundError(msg)
    return ending
