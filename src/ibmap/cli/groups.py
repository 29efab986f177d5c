"""``ibmap compare --by``: the networks of groups of rows, and which edges differ."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibmap.cli.console import output, print_facts, print_json, say, warnings_as_messages
from ibmap.cli.flags import member
from ibmap.cli.options import ReadingAsLearned, check_place, read_bins
from ibmap.cli.progress import Waiting
from ibmap.cli.report import check_page
from ibmap.errors import InvalidOptionError, InvalidTableError

if TYPE_CHECKING:
    import polars as pl

    from ibmap.data.table import EncodedTable
    from ibmap.learners.groups import GroupComparison
    from ibmap.learners.options import RecommendedOptions

PANEL = "Groups of rows, or two tables"
VERDICTS = ("different", "undecided", "alike")
FILE = "table"  # the column that tells two tables apart
MEANING = (
    "Bayes factor: how much more probable an effect for each group is than one for all. Different from 10 "
    "on, alike up to 1/10. In brackets: not joined in that group's network."
)


@dataclass(frozen=True)
class Groups:
    """What is asked about groups of rows."""

    by: str | None = member(None, "Compare the groups of a table that a column tells.", "COLUMN", panel=PANEL)
    weights: str | None = member(
        None, "The column that counts rows, or weighs them, as in learn.", "COLUMN", panel=PANEL
    )
    picture: str | None = member(
        None, "Draw the networks of groups or tables side by side: .png, .svg or .pdf.", "FILE", panel=PANEL
    )
    report: str | None = member(
        None, "Write a page with the network of all rows and those of the groups.", "PAGE", panel=PANEL
    )


def compare_tables(sources: list[str], asked: Groups, reading: ReadingAsLearned, as_json: bool) -> None:
    """Compare groups of one table, or two tables."""
    from ibmap.data.encoding import encode
    from ibmap.learners.groups import compare_groups
    from ibmap.learners.options import RecommendedOptions
    from ibmap.options import n_cores

    by, picture = asked.by, asked.picture
    ending = None if picture is None else _check_picture(picture)
    if asked.report is not None:
        check_page(asked.report)
    rules: dict[str, Any] = {} if reading.missing is None else {"missing": reading.missing}
    rules |= {} if reading.bins is None else {"bins": read_bins(reading.bins)}
    options = RecommendedOptions(**rules)
    options.check()
    with warnings_as_messages(), Waiting("learning the groups", compiling=False):
        frame = _read(sources, by, reading)
        table = encode(frame, missing=options.missing, bins=options.rule_for_bins, weights=asked.weights)
        found = compare_groups(table, by or FILE, options=options, n_threads=n_cores())
        if asked.report is not None:
            _write_page(
                found, table, options, asked.report, " and ".join(Path(each).name for each in sources)
            )
    if picture is not None and ending is not None:
        _draw(found, picture, ending)
    if as_json:
        print_json(found.to_dict())
    else:
        _print(found)


def _read(sources: list[str], by: str | None, reading: ReadingAsLearned) -> "pl.DataFrame":
    """Read one table, or two below each other with a column that tells which."""
    import polars as pl

    from ibmap.data.files import read_table

    if len(sources) == 2 and Path(sources[0]).resolve() == Path(sources[1]).resolve():
        msg = f"{sources[0]} is given twice; name two tables, or the groups of one by --by COLUMN"
        raise InvalidOptionError(msg)
    frames = [read_table(source, **reading.text) for source in sources]
    if by is not None:
        return frames[0]
    first, second = frames
    if set(first.columns) != set(second.columns) or FILE in first.columns:
        other = sorted({*first.columns} ^ {*second.columns}) or [FILE]
        msg = (
            f"two tables are compared by the columns they share, and a column {FILE!r} is added: rename or "
            f"drop {', '.join(map(repr, other[:8]))}"
        )
        raise InvalidTableError(msg)
    named = [
        frame.select(first.columns).with_columns(pl.lit(source).alias(FILE))
        for frame, source in zip(frames, sources, strict=True)
    ]
    return pl.concat(named, how="vertical_relaxed")


def _write_page(
    found: "GroupComparison", table: "EncodedTable", options: "RecommendedOptions", path: str, title: str
) -> None:
    """Write the page of the whole table, the groups among its variables."""
    from ibmap.learners import learn_recommended
    from ibmap.options import n_cores
    from ibmap.report import write_report

    whole = learn_recommended(table, options, n_threads=n_cores())
    write_report(whole, path, title=title, table=table, groups=found)
    say(f"written: {path}")


def _check_picture(path: str) -> str:
    from ibmap.plotting.canvas import FORMATS, need_matplotlib

    need_matplotlib()
    return check_place(path, "picture", *FORMATS)


def _draw(found: "GroupComparison", path: str, ending: str) -> None:
    """Draw the groups side by side."""
    from ibmap.data.files import write_atomically
    from ibmap.plotting import plot_groups
    from ibmap.plotting.canvas import new_figure, picture_bytes

    n = len(found.groups)
    figure = new_figure((6.5 * n, 5.5))
    plot_groups(found, [figure.add_subplot(1, n, k + 1) for k in range(n)])
    write_atomically(path, picture_bytes(figure, ending))
    say(f"written: {path}")


def _print(found: "GroupComparison") -> None:
    """Write what differs to standard output."""
    from ibmap.cli.summary import laid_out

    counts = {word: sum(each.verdict == word for each in found.differences) for word in VERDICTS}
    sizes = ", ".join(
        f"{name}: {result.provenance.n_samples:,} rows, {result.graph.n_edges} edges"
        for name, result in found.groups.items()
    )
    words = ", ".join(f"{count} {word}" for word, count in counts.items())
    print_facts([("Groups", f"by {found.by}: {sizes}"), ("Pairs joined in any", words)])
    rows = []
    for each in found.differences:
        told = [
            (f"{s:+.2f}" if sign else f"{s:.2f}") if joined else f"({s:+.2f})" if sign else f"({s:.2f})"
            for s, sign, joined in zip(each.strengths, each.signs, each.joined, strict=True)
        ]
        rows.append((each.x, each.y, *told, each.factor, each.verdict))
    if not rows:
        return
    headings = ("Variable", "Variable", *(f">{name}" for name in found.groups), ">Bayes factor", "-Verdict")
    console = output()
    console.print(
        "", laid_out("Strength in each group, the most different first", headings, rows), "", sep="\n"
    )
    console.print(MEANING)
