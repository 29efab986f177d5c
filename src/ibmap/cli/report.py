"""``ibmap report``: a network in, a page out."""

from pathlib import Path

from ibmap.cli.console import say
from ibmap.cli.flags import argument, flag
from ibmap.cli.options import check_place


def report(
    network: str = argument(
        "NETWORK", "A network: .json (best, it holds everything), .graphml, or .csv (edges or matrix)."
    ),
    page: str = argument("PAGE", "Where to write it: an .html file."),
    title: str | None = flag(None, "Above the page. (default: the file's name)", "TEXT"),
) -> None:
    """Write a PAGE about a NETWORK: one file that opens in any browser."""
    from ibmap.report import write_report
    from ibmap.result.formats import read_network

    check_page(page)
    write_report(read_network(network), page, title=Path(network).name if title is None else title)
    say(f"written: {page}")


def check_page(path: str) -> None:
    """Refuse a page that could not be written, before any work is done."""
    from ibmap.report.page import find_library

    check_place(path, "page", ".html", ".htm")
    find_library()
