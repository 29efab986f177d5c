"""``ibmap learn``: a table in, a network out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ibmap.cli.arguments import (
    AsJson,
    BinRules,
    CheckpointFile,
    ClosureChoice,
    DropColumns,
    EquivalentSampleSize,
    GrowChoice,
    HyperparameterChoice,
    KeepColumns,
    Learner,
    MaxAscents,
    MaxGiven,
    MaxMemory,
    MaxNodes,
    MaxSeconds,
    MissingMarks,
    MissingValues,
    NoHeader,
    OrderChoice,
    OrderedColumns,
    Outputs,
    Penalty,
    PriorProbability,
    Quiet,
    ReportPage,
    ResumeFile,
    Ridge,
    RuleChoice,
    Separator,
    Significance,
    SliceChoice,
    Start,
    TableFile,
    TableShare,
    TestChoice,
    TextEncoding,
    Threads,
)  # fmt: skip
from ibmap.cli.compiling import load_kernels_for, prepare_climb
from ibmap.cli.console import interruptible, print_json, say, warnings_as_messages
from ibmap.cli.interrupts import Interrupts
from ibmap.cli.options import (
    Algorithm,
    Hyperparameters,
    Missing,
    Reading,
    check_outputs,
    read_bins,
    text_options,
)
from ibmap.cli.progress import Waiting
from ibmap.cli.report import check_page, source_name, write_page
from ibmap.errors import IbmapError, InvalidOptionError

if TYPE_CHECKING:
    from ibmap.learning import LearnerOptions
    from ibmap.result import SearchResult
    from ibmap.table import EncodedTable

OTHER_KERNELS = {"test", "hyperparameters", "slices"}  # options with which a climb may need others
MAX_WEIGHED = 100  # variables up to which the evidence of GSMN's edges is computed; it costs n^3 tests


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("learn")(interruptible(_learn))


def _learn(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    table: TableFile,
    algorithm: Learner = Algorithm.ibmap,
    outputs: Outputs = None,
    report: ReportPage = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    missing: MissingValues = Missing.error,
    bins: BinRules = None,
    drop: DropColumns = None,
    keep: KeepColumns = None,
    separator: Separator = None,
    encoding: TextEncoding = None,
    na: MissingMarks = None,
    no_header: NoHeader = False,
    start: Start = None,
    max_ascents: MaxAscents = None,
    max_seconds: MaxSeconds = None,
    closure: ClosureChoice = None,
    max_nodes: MaxNodes = None,
    max_memory: MaxMemory = None,
    threads: Threads = None,
    checkpoint: CheckpointFile = None,
    resume: ResumeFile = None,
    test: TestChoice = None,
    rule: RuleChoice = None,
    grow: GrowChoice = None,
    order: OrderChoice = None,
    max_given: MaxGiven = None,
    significance: Significance = None,
    prior: PriorProbability = None,
    hyperparameters: HyperparameterChoice = None,
    equivalent_sample_size: EquivalentSampleSize = None,
    slices: SliceChoice = None,
    penalty: Penalty = None,
    ridge: Ridge = None,
    ordered: OrderedColumns = None,
    table_share: TableShare = None,
) -> None:
    """Learn which variables of a TABLE depend directly on which others.

    The summary goes to standard output, everything else to standard error.
    """
    named = {
        "start": start, "max_ascents": max_ascents, "max_seconds": max_seconds, "threads": threads,
        "max_nodes": max_nodes, "max_memory": max_memory, "closure": closure, "max_given": max_given,
        "test": test, "rule": rule, "grow": grow, "order": order, "significance": significance,
        "prior": prior, "hyperparameters": hyperparameters, "slices": slices,
        "equivalent_sample_size": equivalent_sample_size, "checkpoint": checkpoint, "resume": resume,
        "table_share": table_share, "penalty": penalty, "ridge": ridge,
        "ordered": True if ordered == ["all"] else ordered,
    }  # fmt: skip
    given = {name: value for name, value in named.items() if value is not None}
    refuse_inapplicable(algorithm, given)
    if outputs:
        check_outputs(outputs)
    if report is not None:
        check_page(report)
    reading = Reading(
        missing.value,
        read_bins(bins),
        tuple(drop or ()),
        tuple(keep) if keep else None,
        text_options(separator, encoding, na, no_header),
    )
    with warnings_as_messages(quiet), Waiting("learning", quiet, compiling=False) as waiting:
        data = reading.read(table)
        load_kernels_for(data, algorithm == Algorithm.ibmap, waiting)
        interrupts = Interrupts(waiting)
        if algorithm == Algorithm.hc and not given.keys() & OTHER_KERNELS:
            prepare_climb(data, threads, waiting)
        result = _fit(data, algorithm, {**given, "reading": reading}, interrupts)
    writers = {path: partial(_write_network, result, path) for path in outputs or []}
    if report is not None:
        writers[report] = partial(write_page, result, report, Path(source_name(table)).name, data)
    _deliver(result, source_name(table), as_json, writers, quiet)
    interrupts.end()


def refuse_inapplicable(algorithm: Algorithm, given: Mapping[str, Any]) -> None:
    """Refuse options that the run would not use.

    Parameters
    ----------
    algorithm : Algorithm
        The learner.
    given : dict
        The options given.

    Raises
    ------
    InvalidOptionError
        With the option and what it belongs to.
    """
    from ibmap.learning import LEARNERS

    chosen = LEARNERS[algorithm]
    test = given.get("test", chosen.options.tests[0])
    if chosen.takes("test") and test not in chosen.options.tests:
        owners = [name for name in LEARNERS if test in LEARNERS[name].options.tests]
        msg = f"--test {test} gives no probabilities, which the score of {algorithm} is made of; "
        msg += f"use --test {_either(chosen.options.tests)}, or --algorithm {_either(owners)}"
        raise InvalidOptionError(msg)
    for name in given:
        flag = "--" + name.replace("_", "-")
        owners = [other for other in LEARNERS if LEARNERS[other].takes(name)]
        if not chosen.takes(name):
            msg = f"{flag} belongs to --algorithm {_either(owners)}; "
            msg += f"add --algorithm {owners[0]}, or leave it out"
            raise InvalidOptionError(msg)
        _refuse_other_tests_options(name, flag, test, chosen.options.tests)
    if "equivalent_sample_size" in given and given.get("hyperparameters") != Hyperparameters.bdeu:
        msg = "--equivalent-sample-size belongs to --hyperparameters bdeu; add that, or leave it out"
        raise InvalidOptionError(msg)


def _refuse_other_tests_options(name: str, flag: str, test: str, usable: Sequence[str]) -> None:
    """Refuse an option of a test that is not the one chosen."""
    from ibmap.learning.options import TEST_OPTIONS

    tests = [each for each, names in TEST_OPTIONS.items() if name in names and each in usable]
    if tests and test not in tests:
        msg = f"{flag} belongs to --test {_either(tests)}; add that, or leave it out with --test {test}"
        raise InvalidOptionError(msg)


def _either(names: Sequence[str]) -> str:
    """Join alternatives."""
    return " or ".join(names)


def _fit(
    table: EncodedTable, algorithm: Algorithm, given: dict[str, Any], interrupts: Interrupts
) -> SearchResult:
    """Run the learner; Ctrl-C ends it with the best so far."""
    from ibmap.learning import LEARNERS
    from ibmap.options import n_cores

    reading: Reading = given.pop("reading")
    options: dict[str, Any] = {k: str(v) if isinstance(v, str) else v for k, v in given.items()}
    options |= {"missing": reading.missing, "bins": reading.bins}  # applied already; for the record
    if "start" in options:
        options["start"] = _read_start(options["start"])
    n_threads = options.pop("threads", None) or n_cores()
    learner = LEARNERS[algorithm]
    running: dict[str, Any] = {
        name: options.pop(name) for name in ("checkpoint", "resume") if name in options
    }
    running |= {"n_threads": n_threads} if learner.is_parallel else {}
    chosen = learner.options(**options)
    with interrupts:
        result = learner.learn(table, chosen, callback=interrupts, **running)
    return result if interrupts.is_asked else interrupts.unless(weighed, result, chosen, table)


def _read_start(start: str) -> Any:
    """Read where the search begins."""
    from ibmap.export import graph_of, read_network
    from ibmap.learning.starts import STARTS

    if start in STARTS:
        return start

    if not Path(start).exists():
        msg = f"--start {start}: it must be {_either(STARTS)} or a network file, and there is no such file"
        raise InvalidOptionError(msg)
    return graph_of(read_network(start))


def weighed(result: SearchResult, options: LearnerOptions, table: EncodedTable) -> SearchResult:
    """Add the evidence of the IB-score to what another learner than IBMAP-HC found, if its test can tell.

    Parameters
    ----------
    result : SearchResult
        What was found.
    options : LearnerOptions
        How.
    table : EncodedTable
        What it was learned from.

    Returns
    -------
    SearchResult
        With evidence, unless the test is classical or there are over 100 variables.
    """
    if result.n_ascents is not None or table.n_variables > MAX_WEIGHED:
        return result
    from ibmap.evidence.pairs import collect_evidence
    from ibmap.evidence.statements import Witness
    from ibmap.independence.protocol import ProbabilisticTest

    test = options.make_test(table)
    if not isinstance(test, ProbabilisticTest):
        return result
    witness = Witness(table, {str(options.recorded()["test"]): test})
    evidence = collect_evidence(result.graph, witness.gains(result.graph), witness=witness)
    return replace(result, evidence=evidence)


def _write_network(result: SearchResult, path: str) -> None:
    """Write a network file."""
    from ibmap.export import write_network

    write_network(result, path)


def _deliver(
    result: SearchResult, source: str, as_json: bool, writers: Mapping[str, Callable[[], None]], quiet: bool
) -> None:
    """Write the files, print the network, and only then complain of files that failed."""
    from ibmap.cli.summary import print_summary

    written, failures = [], []
    for path, write in writers.items():
        try:
            write()
            written.append(path)
        except (IbmapError, OSError) as error:
            failures.append(error)
    if as_json:
        print_json(result.to_dict())
    else:
        print_summary(result, source)
    if written and not quiet:
        say(f"written: {', '.join(written)}")
    for failure in failures[:-1]:
        say(f"error: {failure}")
    if failures:
        raise failures[-1]
