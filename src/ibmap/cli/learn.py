"""``ibmap learn``: a table in, a network out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ibmap.cli.arguments import (
    AsJson,
    BinRules,
    DropColumns,
    EquivalentSampleSize,
    GrowChoice,
    HyperparameterChoice,
    KeepColumns,
    Learner,
    MaxAscents,
    MaxSeconds,
    MissingMarks,
    MissingValues,
    NoHeader,
    OrderChoice,
    Outputs,
    PriorProbability,
    Quiet,
    RuleChoice,
    Separator,
    Significance,
    SliceChoice,
    Start,
    TableFile,
    TestChoice,
    TextEncoding,
    Threads,
)  # fmt: skip
from ibmap.cli.console import interruptible, print_json, say, warnings_as_messages
from ibmap.cli.options import (
    Algorithm,
    Hyperparameters,
    Missing,
    Reading,
    Test,
    check_outputs,
    read_bins,
    text_options,
)
from ibmap.cli.progress import Waiting
from ibmap.errors import IbmapError, InvalidOptionError

if TYPE_CHECKING:
    from ibmap.learning import GSMNOptions
    from ibmap.result import SearchResult
    from ibmap.table import EncodedTable

MAX_WEIGHED = 100  # variables up to which the evidence of GSMN's edges is computed; it costs n^3 tests

HC_OPTIONS = ("start", "max_ascents", "max_seconds", "threads")
GSMN_OPTIONS = ("test", "rule", "grow", "order", "significance")
BAYESIAN_OPTIONS = ("prior", "hyperparameters", "slices", "equivalent_sample_size")


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
    algorithm: Learner = Algorithm.hc,
    outputs: Outputs = None,
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
    threads: Threads = None,
    test: TestChoice = None,
    rule: RuleChoice = None,
    grow: GrowChoice = None,
    order: OrderChoice = None,
    significance: Significance = None,
    prior: PriorProbability = None,
    hyperparameters: HyperparameterChoice = None,
    equivalent_sample_size: EquivalentSampleSize = None,
    slices: SliceChoice = None,
) -> None:
    """Learn which variables of a TABLE depend directly on which others.

    The summary goes to standard output, everything else to standard error.
    """
    named = {
        "start": start, "max_ascents": max_ascents, "max_seconds": max_seconds, "threads": threads,
        "test": test, "rule": rule, "grow": grow, "order": order, "significance": significance,
        "prior": prior, "hyperparameters": hyperparameters, "slices": slices,
        "equivalent_sample_size": equivalent_sample_size,
    }  # fmt: skip
    given = {name: value for name, value in named.items() if value is not None}
    refuse_inapplicable(algorithm, given)
    check_outputs(outputs or [])
    reading = Reading(
        missing.value,
        read_bins(bins),
        tuple(drop or ()),
        tuple(keep) if keep else None,
        text_options(separator, encoding, na, no_header),
    )
    with warnings_as_messages(quiet), Waiting("learning", quiet) as waiting:
        result = _fit(reading.read(table), algorithm, {**given, "reading": reading}, waiting)
    _deliver(result, table, as_json, outputs or [], quiet)


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
    test = given.get("test", Test.bayesian)
    classical = algorithm == Algorithm.gsmn and test != Test.bayesian
    for name in given:
        flag = "--" + name.replace("_", "-")
        if algorithm == Algorithm.gsmn and name in HC_OPTIONS:
            msg = f"{flag} belongs to --algorithm hc; leave it out with gsmn"
        elif algorithm == Algorithm.hc and name in GSMN_OPTIONS:
            msg = f"{flag} belongs to --algorithm gsmn; leave it out with hc, or add --algorithm gsmn"
        elif classical and name in BAYESIAN_OPTIONS:
            msg = f"{flag} belongs to the bayesian test; leave it out with --test {test}"
        elif name == "significance" and not classical:
            msg = "--significance belongs to the classical tests; add --test chi-square or --test g"
        elif name == "equivalent_sample_size" and given.get("hyperparameters") != Hyperparameters.bdeu:
            msg = "--equivalent-sample-size belongs to --hyperparameters bdeu; add that, or leave it out"
        else:
            continue
        raise InvalidOptionError(msg)


def _fit(table: EncodedTable, algorithm: Algorithm, given: dict[str, Any], waiting: Waiting) -> SearchResult:
    """Run the learner."""
    from ibmap.learning import GSMNOptions, HillClimbingOptions, learn_gsmn, learn_hc
    from ibmap.options import n_cores

    reading: Reading = given.pop("reading")
    options: dict[str, Any] = {k: str(v) if isinstance(v, str) else v for k, v in given.items()}
    options |= {"missing": reading.missing, "bins": reading.bins}  # applied already; for the record
    if algorithm == Algorithm.gsmn:
        chosen = GSMNOptions(**options)
        return weighed(learn_gsmn(table, chosen), chosen, table)
    n_threads = options.pop("threads", None) or n_cores()
    options["start"] = _read_start(options.get("start", "gsmn"))
    return learn_hc(table, HillClimbingOptions(**options), n_threads=n_threads, callback=waiting)


def _read_start(start: str) -> Any:
    """Read where the search begins."""
    if start in ("gsmn", "empty"):
        return start
    from ibmap.export import graph_of, read_network

    if not Path(start).exists():
        msg = f"--start {start}: it must be gsmn, empty or a network file, and there is no such file"
        raise InvalidOptionError(msg)
    return graph_of(read_network(start))


def weighed(result: SearchResult, options: GSMNOptions, table: EncodedTable) -> SearchResult:
    """Add the evidence of the IB-score to what GSMN found, if its test is the Bayesian one.

    Parameters
    ----------
    result : SearchResult
        What was found.
    options : GSMNOptions
        How.
    table : EncodedTable
        What it was learned from.

    Returns
    -------
    SearchResult
        With evidence, unless the test is classical or there are over 100 variables.
    """
    if options.test != "bayesian" or table.n_variables > MAX_WEIGHED:
        return result
    from ibmap.result import collect_evidence
    from ibmap.score import flip_gains, local_score

    gains = flip_gains(local_score(options.bayesian_test(table)), result.graph)
    return replace(result, evidence=collect_evidence(result.graph, gains))


def _deliver(result: SearchResult, table: str, as_json: bool, outputs: Sequence[str], quiet: bool) -> None:
    """Write the files, print the network, and only then complain of files that failed."""
    from ibmap.cli.summary import print_summary
    from ibmap.export import write_network

    failures = []
    for path in outputs:
        try:
            write_network(result, path)
        except (IbmapError, OSError) as error:
            failures.append(error)
    if as_json:
        print_json(result.to_dict())
    else:
        print_summary(result, "standard input" if table == "-" else table)
    if failures:
        raise failures[0]
    if outputs and not quiet:
        say(f"written: {', '.join(outputs)}")
