"""Measure everything: ``python -m benchmarks [--quick] [--only CASE ...]``."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console

from benchmarks import results as files
from benchmarks.findings import Finding
from benchmarks.measure import Setting
from benchmarks.tables import markdown, print_group


def main() -> None:
    options = read_options()
    if options.markdown:
        print(markdown(files.load_best()))
    elif options.docs:
        from benchmarks import documentation

        documentation.update(files.load_best())
    else:
        measure(options.quick, options.only)


def read_options() -> argparse.Namespace:
    from benchmarks.cases import CASES

    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure how fast ibmap is.")
    parser.add_argument(
        "--quick", action="store_true", help="smaller sizes, fewer cases and repeats: about a minute"
    )
    parser.add_argument(
        "--only", nargs="+", choices=[*CASES], metavar="CASE", help=f"some of: {', '.join(CASES)}"
    )
    parser.add_argument(
        "--markdown", action="store_true", help="print the last results as Markdown; measure nothing"
    )
    parser.add_argument(
        "--docs", action="store_true", help="put the last results into docs/performance.md and draw the plots"
    )
    return parser.parse_args()


def measure(quick: bool, only: list[str] | None) -> None:
    """Run the cases, print each table when it is done, and write the results file."""
    from benchmarks.cases import CASES
    from benchmarks.machine import facts
    from benchmarks.warm_up import warm_up

    console = Console()
    results: dict[str, Any] = {"quick": quick, "machine": facts(), "groups": {}}
    known = (files.load(quick) if only else None) or {"groups": {}}
    console.print("Compiling the kernels, or loading them from Numba's cache ...", style="dim")
    results["warm_up_seconds"] = warm_up()
    console.print(
        f"That took {results['warm_up_seconds']:.1f} s and is in none of the times below.\n", style="dim"
    )
    for name, case in CASES.items():
        if only is None or name in only:
            console.print(f"{name}: {case.TITLE} ...", style="dim")
            begun = time.perf_counter()
            found = run_case(case, quick)
            left_out = getattr(case, "QUICK_LEAVES_OUT", "") if quick else ""
            print_group(console, case.TITLE, found, left_out)
            console.print(f"{time.perf_counter() - begun:.0f} s in all.\n", style="dim")
            results["groups"][name] = files.group(case.TITLE, found, left_out)
        elif name in known["groups"]:
            results["groups"][name] = known["groups"][name]
        path = files.save(results)
    console.print(f"\n{summary(results)} Written: {path.parent.name}/{path.name}")


def run_case(case: ModuleType, quick: bool) -> list[Finding]:
    """Run one case; if it breaks, say so in its table and go on."""
    found: list[Finding] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            found.extend(case.run(Setting(quick, Path(folder))))
        except Exception as error:
            found.append(Finding("FAILED", note=f"{type(error).__name__}: {error}"[:200]))
    return found


def summary(results: dict[str, Any]) -> str:
    every = [Finding.from_dict(each) for group in results["groups"].values() for each in group["findings"]]
    judged = [each for each in every if each.verdict.met is not None]
    return f"{sum(each.verdict.met is True for each in judged)} of {len(judged)} targets met."


if __name__ == "__main__":
    main()
