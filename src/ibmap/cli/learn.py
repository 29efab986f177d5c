"""``ibmap learn``: a table in, a network out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ibmap.cli.compiling import load_kernels_for
from ibmap.cli.confidence import Asked
from ibmap.cli.console import print_json, say, warnings_as_messages
from ibmap.cli.flags import flag, member
from ibmap.cli.interrupts import Interrupts
from ibmap.cli.options import QUIET, TABLE, Reading, check_outputs, source_name
from ibmap.cli.progress import Waiting
from ibmap.cli.report import check_page
from ibmap.errors import IbmapError, InvalidOptionError
from ibmap.learners.options import OPTIONS, STARTS, TEST_OPTIONS
from ibmap.options import SEARCH, n_cores

if TYPE_CHECKING:
    from ibmap.data.table import EncodedTable
    from ibmap.learners import LearnerOptions
    from ibmap.result import SearchResult

MAX_WEIGHED = 100  # variables up to which the evidence of GSMN's edges is computed; it costs n^3 tests
OUTPUT = "Output"
LONG = 60  # seconds of learning from which on a user is told beforehand
Algorithm = Literal[
    "ibmap", "hc", "ts", "gsmn", "gsmn-star", "gsimn", "iamb", "hiton",
    "hhc", "beam", "restarts", "bjp", "mpl", "pic", "pfmn",
]  # fmt: skip


@dataclass(frozen=True)
class Running:
    """How the learner runs, which does not change the result."""

    threads: int | None = member(
        None,
        "Threads; one a core by default. The result is the same for any number.",
        "K",
        min=1,
        panel=SEARCH,
    )
    cluster: str | None = member(
        None,
        "ibmap: fit, sample and resample on the workers of a dask.distributed cluster, by the address of its "
        "scheduler (tcp://10.0.0.5:8786). The result is the same; the workers need the same versions.",
        "ADDRESS",
        panel=SEARCH,
    )
    spread: Literal["variables", "rows"] | None = member(
        None,
        "ibmap: what the workers share: variables, each with the whole table, or rows, each with its part of "
        "it. By default variables, unless the table takes over a quarter of a worker's memory.",
        panel=SEARCH,
    )
    checkpoint: str | None = member(
        None, "hc: keep the search in a file, every few seconds and when it ends early.", "FILE", panel=SEARCH
    )
    resume: str | None = member(
        None,
        "hc: go on from a checkpoint of the same table and options, and keep on writing it.",
        "FILE",
        panel=SEARCH,
    )


def learn(  # noqa: PLR0913 - a command's options are its parameters
    reading: Reading,
    table: str = TABLE,
    algorithm: Algorithm = flag(
        "ibmap",
        "ibmap: the recommended learner. The paper's: hc, hill climbing on the IB-score; ts, the most "
        "probable run of GSMN. gsmn to hiton: Markov blankets by tests. hhc, beam, restarts: other searches; "
        "bjp, mpl, pic: other scores; pfmn: a particle filter.",
        None,
        "--algorithm",
        "-a",
    ),
    outputs: list[str] | None = flag(
        None,
        "Write the network: .json, .graphml, .dot, .csv (edges) or .adjacency.csv. Repeatable.",
        "FILE",
        "--output",
        "-o",
        panel=OUTPUT,
    ),
    report: str | None = flag(
        None, "Write a page: one .html file that opens in any browser.", "PAGE", panel=OUTPUT
    ),
    as_json: bool = flag(
        False, "Print the network as JSON instead of the summary.", None, "--json", panel=OUTPUT
    ),
    quiet: bool = QUIET,
    *,
    asked: Asked,
    running: Running,
    **options: Any,
) -> None:
    """Learn which variables of a TABLE depend directly on which others.

    The summary goes to standard output, everything else to standard error.
    """
    from ibmap.cli.summary import print_summary
    from ibmap.pools.cluster import connected

    given, how = _given(options), _given(asdict(running))
    refuse_inapplicable(algorithm, given | how)
    if outputs:
        check_outputs(outputs)
    if report is not None:
        check_page(report)
    if "spread" in how and "cluster" not in how:
        msg = "--spread says what the workers of a cluster share; add --cluster ADDRESS, or leave it out"
        raise InvalidOptionError(msg)
    chosen = _options(algorithm, given, reading)
    asked.check(chosen, algorithm)
    with (
        warnings_as_messages(quiet),
        Waiting("learning", quiet, compiling=False) as waiting,
        connected(how.pop("cluster", None)) as client,
    ):
        how |= {} if client is None else {"client": client}
        data = reading.read(table, chosen)
        load_kernels_for(data, algorithm == "ibmap" and not asked.takes_kernels(data), waiting)
        _tell_cost(data, algorithm, given, quiet)
        interrupts = Interrupts(waiting)
        result = _run(data, algorithm, chosen, how, interrupts)
        result = asked.answered(result, data, chosen, interrupts, how)
    files = _writers(result, outputs, report, table, data) | _median_writer(result, asked.median, data)
    summary = None if as_json else partial(print_summary, result, source_name(table), data)
    _deliver(result, summary, files, quiet)
    interrupts.end()


def _tell_cost(table: "EncodedTable", algorithm: str, given: Mapping[str, Any], quiet: bool) -> None:
    """Say beforehand that a table will take long, if nobody has limited the time."""
    from ibmap.learners.cost import estimate

    cost = estimate(table, algorithm, given.get("screen"))
    if cost.seconds is not None and cost.seconds > LONG and "max_seconds" not in given and not quiet:
        memory = f"{cost.n_bytes / 1e9:.1f} GB"
        say(
            f"this may take about {cost.seconds / 60:,.0f} min on one core, and {memory} of memory; "
            "--max-seconds S ends it earlier, with the best so far"
        )


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what was not given."""
    return {name: value for name, value in options.items() if value is not None}


def refuse_inapplicable(algorithm: str, given: Mapping[str, Any]) -> None:
    """Refuse options that the run would not use, with what they belong to."""
    from ibmap.learners import LEARNERS

    chosen = LEARNERS[algorithm]
    test = given.get("test", chosen.options.tests[0])
    if chosen.takes("test") and test not in chosen.options.tests:
        owners = [name for name in OPTIONS if test in OPTIONS[name].tests]
        msg = f"--test {test} gives no probabilities, which the score of {algorithm} is made of; "
        msg += f"use --test {_either(chosen.options.tests)}, or --algorithm {_either(owners)}"
        raise InvalidOptionError(msg)
    for name in given:
        option = "--" + name.replace("_", "-")
        owners = [other for other in LEARNERS if LEARNERS[other].takes(name)]
        if not chosen.takes(name):
            msg = f"{option} belongs to --algorithm {_either(owners)}; "
            msg += f"add --algorithm {owners[0]}, or leave it out"
            raise InvalidOptionError(msg)
        tests = [each for each in chosen.options.tests if name in TEST_OPTIONS[each]]
        if tests and test not in tests:
            msg = f"{option} belongs to --test {_either(tests)}; add that, or leave it out with --test {test}"
            raise InvalidOptionError(msg)
    if "equivalent_sample_size" in given and given.get("hyperparameters") != "bdeu":
        msg = "--equivalent-sample-size belongs to --hyperparameters bdeu; add that, or leave it out"
        raise InvalidOptionError(msg)


def _either(names: Sequence[str]) -> str:
    return " or ".join(names)


def _options(algorithm: str, given: Mapping[str, Any], reading: Reading) -> "LearnerOptions":
    """Make the options object of the learner, and check it before the table is read."""
    read = reading.rules
    if "start" in given:
        read["start"] = _read_start(given["start"])
    if given.get("ordered") in (["all"], ["none"]):
        read["ordered"] = given["ordered"] == ["all"]
    options = OPTIONS[algorithm](**{**given, **read})
    options.check()
    return options


def _read_start(start: str) -> Any:
    """Read where the search begins."""
    from ibmap.result.formats import graph_of, read_network

    if start in STARTS:
        return start
    if not Path(start).exists():
        msg = f"--start {start}: it must be {_either(STARTS)} or a network file, and there is no such file"
        raise InvalidOptionError(msg)
    return graph_of(read_network(start))


def _run(
    table: "EncodedTable",
    algorithm: str,
    options: "LearnerOptions",
    running: dict[str, Any],
    interrupts: Interrupts,
) -> "SearchResult":
    """Run the learner; Ctrl-C ends it with the best so far."""
    from ibmap.learners import LEARNERS
    from ibmap.result.relating import related_in_time

    learner, running = LEARNERS[algorithm], dict(running)
    n_threads = running.pop("threads", None) or n_cores()
    running |= {"n_threads": n_threads} if learner.is_parallel else {}
    with interrupts:
        result = learner.learn(table, options, callback=interrupts, **running)
    if not interrupts.is_interrupted:
        result = interrupts.unless(weighed, result, options, table)
    return related_in_time(result, table)


def weighed(result: "SearchResult", options: "LearnerOptions", table: "EncodedTable") -> "SearchResult":
    """Add the evidence of the IB-score to what a learner found without it, if its test allows it."""
    is_cut = result.n_ascents is not None and not result.is_complete
    if result.evidence or is_cut or table.n_variables > MAX_WEIGHED:
        return result
    from ibmap.evidence.pairs import collect_evidence
    from ibmap.evidence.witness import Witness
    from ibmap.independence.protocol import ProbabilisticTest

    test = options.make_test(table)
    if not isinstance(test, ProbabilisticTest):
        return result
    witness = Witness(table, {str(options.recorded().get("test", "bayesian")): test})
    evidence = collect_evidence(result.graph, witness.gains(result.graph), witness=witness)
    return replace(result, evidence=evidence)


def _writers(
    result: "SearchResult", outputs: list[str] | None, report: str | None, source: str, table: "EncodedTable"
) -> dict[str, Callable[[], None]]:
    """Give what writes each file; libraries for files are loaded only if there are any."""
    writers: dict[str, Callable[[], None]] = {}
    if outputs:
        from ibmap.result.formats import write_network

        writers |= {path: partial(write_network, result, path) for path in outputs}
    if report is not None:
        from ibmap.report import write_report

        title = Path(source_name(source)).name
        writers[report] = partial(write_report, result, report, title=title, table=table)
    return writers


def _median_writer(
    result: "SearchResult", path: str | None, table: "EncodedTable"
) -> dict[str, Callable[[], None]]:
    """Give what writes the median network, if it is wanted and there is one."""
    if path is None or result.confidence is None:
        return {}
    from ibmap.confidence.learned import median_network
    from ibmap.result.formats import write_network
    from ibmap.result.relating import related

    return {path: partial(write_network, related(median_network(result), table), path)}


def _deliver(
    result: "SearchResult",
    summary: Callable[[], None] | None,
    writers: Mapping[str, Callable[[], None]],
    quiet: bool,
) -> None:
    """Write the files, print the summary or JSON, and only then complain of files that failed."""
    written, failures = [], []
    for path, write in writers.items():
        try:
            write()
            written.append(path)
        except (IbmapError, OSError) as error:
            failures.append(error)
    if summary is None:
        print_json(result.to_dict())
    else:
        summary()
    if written and not quiet:
        say(f"written: {', '.join(written)}")
    for failure in failures[:-1]:
        say(f"error: {failure}")
    if failures:
        raise failures[-1]
