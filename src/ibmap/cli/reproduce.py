"""``ibmap reproduce``: the paper's tables and figures, beside the published numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ibmap.cli.console import INTERRUPTED, output, print_json, printable, say
from ibmap.cli.flags import argument, flag
from ibmap.cli.progress import make_bar
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    import polars as pl

    from ibmap.reproduce.reports import Finding
    from ibmap.reproduce.runner import Progress
    from ibmap.reproduce.study import Study


def reproduce(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    names: list[str] | None = argument("[NAME]...", "Studies to run, or all; without a name, a list.", None),
    quick: bool = flag(
        False, "A taste: a few cells, a run or two each, about a minute a study.", None, "--quick"
    ),
    folder: str = flag("reproduction", "Folder for rows, tables and figures.", "DIR", "--output", "-o"),
    jobs: int | None = flag(None, "Processes; one for each core if not given.", "N", min=1),
    seed: int = flag(1, "Seed of everything.", "S", min=0),
    repetitions: int | None = flag(None, "Data sets a cell, instead of as many as declared.", "R", min=1),
    data: Path | None = flag(
        None,
        "Folder with the benchmark sets that do not follow from rules, NAME.csv each.",
        "DIR",
        exists=True,
        file_okay=False,
    ),
    bins: Literal["width", "frequency"] = flag(
        "width", "Cut numbers in benchmark sets into intervals of equal width or frequency."
    ),
    learner: list[str] | None = flag(
        None,
        "A learner of yours for the study benchmark, file.py:function or package.module:function: from codes "
        "(rows by variables) to an adjacency matrix. Repeat it for more.",
        "SOURCE",
    ),
    cluster: str | None = flag(
        None,
        "Run on the workers of a dask.distributed cluster, by the address of its scheduler "
        "(tcp://10.0.0.5:8786), instead of processes here. Files of --data and --learner must be there too.",
        "ADDRESS",
    ),
    as_json: bool = flag(False, "Print the tables as JSON.", None, "--json"),
) -> None:
    """Run the paper's experiments, and print their tables beside the published numbers.

    What is done is kept: run the same command again to go on after an interruption.
    """
    from ibmap.pools.cluster import connected
    from ibmap.reproduce.benchmark import benchmark_study
    from ibmap.reproduce.confidence import confidence_studies
    from ibmap.reproduce.family import family_studies
    from ibmap.reproduce.holes import hole_studies
    from ibmap.reproduce.mixed import mixed_studies
    from ibmap.reproduce.ordered import ordered_studies
    from ibmap.reproduce.pairwise import pairwise_studies
    from ibmap.reproduce.paper import paper_studies
    from ibmap.reproduce.recommended import recommended_studies

    studies = {**paper_studies(data, bins), **pairwise_studies(), **recommended_studies(data)}
    studies |= confidence_studies() | family_studies() | mixed_studies() | ordered_studies() | hole_studies()
    studies |= {"benchmark": benchmark_study(learner or ())}
    if learner and names and not {"benchmark", "all"} & {*names}:
        msg = "--learner is an option of the study benchmark: ibmap reproduce benchmark --learner SOURCE"
        raise InvalidOptionError(msg)
    if cluster is not None and jobs is not None:
        msg = "--jobs is about processes here, --cluster about workers elsewhere; leave out one of them"
        raise InvalidOptionError(msg)
    if not names:
        _list(studies, as_json)
        return
    chosen = [study.shortened() if quick else study for study in _chosen(studies, names)]
    if repetitions is not None:
        chosen = [replace(study, repetitions=repetitions) for study in chosen]
    obtainable = [_with_data(study) for study in chosen]
    with connected(cluster) as client:
        how = {"seed": seed, "n_jobs": jobs, "client": client}
        found = [_run(study, folder, how, quiet=as_json) for study in obtainable]
    if as_json:
        print_json(found)


def _list(studies: dict[str, Study], as_json: bool) -> None:
    """Tell which studies there are."""
    if as_json:
        listed = studies.values()
        print_json([{"name": each.name, "title": each.title, "runs": len(each.runs)} for each in listed])
        return
    from rich.table import Table

    table = Table("name", "runs", "what", box=None, pad_edge=False)
    for study in studies.values():
        table.add_row(study.name, str(len(study.runs)), study.title)
    output().print(table)
    say("run one: ibmap reproduce NAME --quick; all of them: ibmap reproduce all")


def _chosen(studies: dict[str, Study], names: list[str]) -> list[Study]:
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


def _run(study: Study, folder: str, how: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    """Run one study, show and write what it found."""
    from ibmap.reproduce.reports import remarks_of, sum_up
    from ibmap.reproduce.runner import run_study

    try:
        with _bar(study) as bar:
            rows = run_study(study, folder, callback=bar, **how)
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
    return {"study": study.name, "seed": how["seed"], "tables": [finding.as_dict() for finding in findings]}


def _write(study: Study, rows: pl.DataFrame, findings: list[Finding], folder: str) -> list[str]:
    """Write tables and figures; tables alone if there is nothing to draw with."""
    from ibmap.reproduce.reports import write_figures, write_tables

    written = write_tables(findings, Path(folder))
    try:
        return written + write_figures(study, rows, Path(folder))
    except ImportError:
        say("no figures: matplotlib is not installed (pip install 'ibmap[plot]')")
        return written


def _print(finding: Finding) -> None:
    """Print a table, its verdicts counted, and the claims."""
    from rich.table import Table

    from ibmap.reproduce.tables import fitted, tally, wide

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


@contextmanager
def _bar(study: Study) -> Iterator[Callable[[Progress], None]]:
    """Show a progress bar with the time left, on a terminal; elsewhere say a word at the beginning."""
    if not sys.stderr.isatty():
        say(f"{study.name}: {study.title}, {len(study.runs)} runs")
        yield lambda progress: None
        return
    from rich.progress import TextColumn, TimeRemainingColumn

    before: list[float] = []  # what an earlier execution did does not count for the time left
    with make_bar(TextColumn("left"), TimeRemainingColumn()) as bar:

        def move(progress: Progress) -> None:
            if not before:
                before.append(progress.done)
                bar.add_task("", total=progress.total - progress.done)
            description = f"{progress.study} {progress.n_done} of {progress.n_runs} runs"
            bar.update(bar.task_ids[0], completed=progress.done - before[0], description=description)

        yield move
