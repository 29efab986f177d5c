"""Learn on training rows, judge on test rows: ``python -m benchmarks.held_out FOLDER [--only SET ...]``."""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

from benchmarks.held_out import rivals
from benchmarks.held_out.data import SETS, Split, load, mean
from ibmap.errors import EstimateWarning, FittingWarning, SearchWarning
from ibmap.graph import MarkovGraph
from ibmap.learners import HillClimbingOptions, learn_hc
from ibmap.model import MarkovNetwork
from ibmap.options import n_cores

PAGE = Path(__file__).resolve().parents[2] / "docs" / "model.md"
RESULTS = Path(__file__).resolve().parents[1] / "results" / "held_out.json"
BEGIN, END = "<!-- held-out: begin -->", "<!-- held-out: end -->"
HEADINGS = ("set", "model", "edges", "conditional", "joint", "parameters", "CPU s")
MAX_SECONDS = 600.0  # of a climb
LEARNERS: dict[str, dict[str, Any]] = {
    "IBMAP-HC, from no edges": {"start": "empty"},
    "IBMAP-HC, from GSMN": {"start": "gsmn"},
}


def main() -> None:
    options = read_options()
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if not options.table:
        warnings.simplefilter("ignore", EstimateWarning)
        warnings.simplefilter("ignore", FittingWarning)
        warnings.simplefilter("ignore", SearchWarning)
        for name in options.only or SETS:
            split = load(options.folder, name)
            for row in rows_of(split, options.learners):
                found.setdefault(name, {})[row["model"]] = row
                print("  ".join(cells(row)), flush=True)
                RESULTS.parent.mkdir(exist_ok=True)
                RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    text = markdown(found)
    if options.docs:
        page = PAGE.read_text()
        PAGE.write_text(f"{page.split(BEGIN)[0]}{BEGIN}\n\n{text}\n\n{END}{page.split(END)[1]}")
    else:
        print(text)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.held_out", description=__doc__)
    parser.add_argument("folder", type=Path, help="where NAME.train.data.gz, NAME.valid..., NAME.test... are")
    parser.add_argument("--only", nargs="+", choices=SETS, metavar="SET", help=f"some of: {', '.join(SETS)}")
    parser.add_argument(
        "--learners", nargs="*", choices=[*LEARNERS], default=[*LEARNERS], help="some of them"
    )
    parser.add_argument("--table", action="store_true", help="measure nothing, lay out the last results")
    parser.add_argument("--docs", action="store_true", help="put the table into docs/model.md")
    return parser.parse_args()


def rows_of(split: Split, learners: list[str]) -> Any:
    """Judge every model on one data set."""
    names = split.train.names
    yield judged(split, "independent", MarkovGraph.empty(len(names), names), 0.0)
    yield judged(split, "Chow-Liu tree", rivals.chow_liu(split.train), 0.0)
    start = time.process_time()
    conditional, how = rivals.logistic_neighbourhoods(split)
    spent = time.process_time() - start
    yield row(split, "L1 logistic", None, conditional, None, f"scikit-learn, {how}", f"{spent:.0f}")
    for label in learners:
        start = time.process_time()
        options = HillClimbingOptions(**LEARNERS[label], max_seconds=MAX_SECONDS)
        result = learn_hc(split.train, options, n_threads=n_cores())
        mark = "" if result.is_complete else " (stopped)"
        yield judged(split, label, result.graph, time.process_time() - start, mark)


def judged(split: Split, label: str, graph: MarkovGraph, seconds: float, mark: str = "") -> dict[str, Any]:
    """Fit parameters on the training rows, the prior's strength by the validation rows, and judge."""
    start = time.process_time()
    model = MarkovNetwork.fit(split.train, graph, prior_strength="validate", held_out=split.valid)
    fitting = time.process_time() - start
    found = model.log_partition(n_draws=128, n_steps=10_000)
    logs = model.log_likelihood(split.test, log_partition=found)
    conditional = mean(model.pseudo_log_likelihood(split.test), split.test)
    report: Any = model.report
    how = f"{report.method}, {report.potentials}, prior {report.prior_strength:g}"
    joint = (mean(logs, split.test), found.standard_error)
    times = f"{seconds:.0f} + {fitting:.0f}" if seconds else f"{fitting:.0f}"
    return row(split, label + mark, graph.n_edges, conditional, joint, how, times)


def row(
    split: Split,
    label: str,
    n_edges: int | None,
    conditional: float,
    joint: tuple[float, float] | None,
    how: str,
    seconds: str,
) -> dict[str, Any]:
    figures = {"edges": n_edges, "conditional": conditional, "joint": joint, "how": how, "seconds": seconds}
    return {"set": split.name, "model": label, **figures}


def cells(each: dict[str, Any]) -> list[str]:
    joint = each["joint"]
    error = f" ± {joint[1]:.2f}" if joint and joint[1] else ""
    return [
        each["set"],
        each["model"],
        "" if each["edges"] is None else str(each["edges"]),
        f"{each['conditional']:.3f}",
        f"{joint[0]:.3f}{error}" if joint else "",
        each["how"],
        each["seconds"],
    ]


def markdown(found: dict[str, Any]) -> str:
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---|---|---:|---:|---:|---|---:|"]
    for name in SETS:
        lines += ["| " + " | ".join(cells(each)) + " |" for each in found.get(name, {}).values()]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
