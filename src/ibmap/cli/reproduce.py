"""``ibmap reproduce``: the paper's tables and figures, beside the published numbers."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from ibmap.cli.console import INTERRUPTED, output, print_json, printable, say
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    import polars as pl

    from ibmap.experiments.reports import Finding
    from ibmap.experiments.runner import Progress
    from ibmap.experiments.study import Study


class Bins(StrEnum):
    """How numbers are cut."""

    width = "width"
    frequency = "frequency"


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("reproduce")(_reproduce)


def _reproduce(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Studies to run, or all; without a name, a list.", show_default=False
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A taste: a few cells, a run or two each, about a minute a study.")
    ] = False,
    folder: Annotated[
        str, typer.Option("--output", "-o", metavar="DIR", help="Folder for rows, tables and figures.")
    ] = "reproduction",
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Processes; one for each core if not given.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Seed of everything.")] = 1,
    repetitions: Annotated[
        int | None,
        typer.Option(
            metavar="R", min=1, help="Data sets a cell, instead of as many as declared.", show_default=False
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Folder with the benchmark sets that do not follow from rules, NAME.csv each.",
            show_default=False,
        ),
    ] = None,
    bins: Annotated[
        Bins, typer.Option(help="Cut numbers in benchmark sets into intervals of equal width or frequency.")
    ] = Bins.width,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Run the paper's experiments, and print their tables beside the published numbers.

    What is done is kept: run the same command again to go on after an interruption.
    """
    from ibmap.experiments.confidence import confidence_studies
    from ibmap.experiments.pairwise import pairwise_studies
    from ibmap.experiments.paper import paper_studies
    from ibmap.experiments.recommended import recommended_studies

    studies = {**paper_studies(data, bins.value), **pairwise_studies(), **recommended_studies(data)}
    studies |= confidence_studies()
    if not names:
        _list(studies, as_json)
        return
    chosen = [study.shortened() if quick else study for study in _chosen(studies, names)]
    if repetitions is not None:
        chosen = [replace(study, repetitions=repetitions) for study in chosen]
    obtainable = [_with_data(study) for study in chosen]
    found = [_run(study, folder, seed, jobs, quiet=as_json) for study in obtainable]
    if as_json:
        print_json(found)


def _list(studies: dict[str, Study], as_json: bool) -> None:
    """Tell which studies there are."""
    if as_json:
        fields = (
            {"name": each.name, "title": each.title, "runs": len(each.runs)} for each in studies.values()
        )
        print_json(list(fields))
        return
    from rich.table import Table

    table = Table("name", "runs", "what", box=None, pad_edge=False)
    for study in studies.values():
        table.add_row(study.name, str(len(study.runs)), study.title)
    output().print(table)
    say("run one: ibmap reproduce NAME --quick; all of them: ibmap reproduce all")


def _chosen(studies: dict[str, Study], names: list[str]) -> list[Study]:
    """Find studies by name."""
    for name in names:
        if name not in studies and name != "all":
            msg = f"there is no study {name!r}; the studies are {', '.join(studies)}, and all"
            raise InvalidOptionError(msg)
    return list(studies.values()) if "all" in names else [studies[name] for name in dict.fromkeys(names)]


def _with_data(study: Study) -> Study:
    """Leave out problems whose data cannot be had, with a word on each."""
    kept, reasons = study.obtainable()
    for reason in reasons:
        say(f"{study.name}: left out: {reason}")
    return kept


def _run(study: Study, folder: str, seed: int, jobs: int | None, *, quiet: bool) -> dict[str, Any]:
    """Run one study, show and write what it found."""
    from ibmap.experiments.reports import remarks_of, sum_up
    from ibmap.experiments.runner import run_study

    try:
        with _Bar(study) as bar:
            rows = run_study(study, folder, seed=seed, n_jobs=jobs, callback=bar)
    except KeyboardInterrupt:
        say(f"interrupted; what is done is kept in {folder}: give the same command again to go on")
        raise SystemExit(INTERRUPTED) from None
    findings = sum_up(study, rows)
    if not quiet:
        for finding in findings:
            _print(finding)
    for kind, count in remarks_of(rows):
        place = f"the column remarks of {study.name}.parquet"
        say(f"{study.name}: {kind} in {count} of {len(rows)} rows; see {place}")
    written = _write(study, rows, findings, folder)
    say(f"{study.name}: written to {folder}: {', '.join([f'{study.name}.parquet', *written])}")
    return {"study": study.name, "seed": seed, "tables": [finding.as_dict() for finding in findings]}


def _write(study: Study, rows: pl.DataFrame, findings: list[Finding], folder: str) -> list[str]:
    """Write tables and figures; tables alone if there is nothing to draw with."""
    from ibmap.experiments.reports import write_figures, write_tables

    written = write_tables(findings, Path(folder))
    try:
        return written + write_figures(study, rows, Path(folder))
    except ImportError:
        say("no figures: matplotlib is not installed (pip install 'ibmap[plot]')")
        return written


def _print(finding: Finding) -> None:
    """Print a table, its verdicts counted, and the claims."""
    from rich.table import Table

    from ibmap.experiments.tables import fitted, tally, wide

    console = output()
    console.print(finding.table.title, style="bold")
    for heads, lines in fitted(wide(finding.comparisons), len(finding.comparisons[0].factors), console.width):
        table = Table(*heads, box=None, pad_edge=False)
        for line in lines:
            table.add_row(*map(printable, line))
        console.print(table)
    counted = ", ".join(f"{word} {count}" for word, count in tally(finding.comparisons).items())
    console.print("(h): half-width of the 95 % interval; * better, ! worse than GSMN beyond it")
    console.print(f"rule: {finding.table.rule}")
    console.print(f"verdicts: {counted or 'nothing to compare with'}")
    for text, holds, evidence in finding.claims:
        word = {True: "holds", False: "does not hold", None: "not measured"}[holds]
        console.print(f"{text}: {word} ({evidence})" if evidence else f"{text}: {word}")
    console.print()


class _Bar:
    """A progress bar with the time left, on a terminal; elsewhere a word at the beginning."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._bar: Any = None
        self._before = 0.0

    def __enter__(self) -> Self:
        if not sys.stderr.isatty():
            say(f"{self.study.name}: {self.study.title}, {len(self.study.runs)} runs")
            return self
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left"))
        console = Console(file=sys.stderr, markup=False)
        self._bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Move the bar; what an earlier execution did does not count for the time left."""
        if self._bar is None:
            return
        if not self._bar.task_ids:
            self._before = progress.done
            self._bar.add_task("", total=progress.total - progress.done)
        self._bar.update(
            self._bar.task_ids[0],
            completed=progress.done - self._before,
            description=f"{progress.study} {progress.n_done} of {progress.n_runs} runs",
        )
