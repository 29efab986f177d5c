"""``ibmap demo``: the whole thing on a built-in table, in seconds."""

from pathlib import Path
from typing import TYPE_CHECKING

from ibmap.cli.compiling import load_kernels_for
from ibmap.cli.confidence import Asked
from ibmap.cli.console import output as standard_output
from ibmap.cli.console import say, warnings_as_messages
from ibmap.cli.flags import flag
from ibmap.cli.interrupts import Interrupts
from ibmap.cli.progress import Waiting
from ibmap.errors import MissingLibraryError

if TYPE_CHECKING:
    from ibmap.result import SearchResult

STORY = (
    "A made-up health survey: {rows:,} answers to {variables} questions, drawn from a network that is "
    "known here. Can it be found again from the answers alone?\n"
)


def demo(
    output: str = flag(
        "demo-output", "Folder for the table, the network, its picture and page.", "DIR", "--output", "-o"
    ),
) -> None:
    """Learn a built-in table whose true network is known, and compare."""
    from ibmap.cli.compare import print_edges
    from ibmap.cli.picture import print_drawing
    from ibmap.cli.summary import print_summary
    from ibmap.datasets.demo import demo_network, demo_table
    from ibmap.learners import RecommendedOptions, learn_recommended
    from ibmap.metrics import compare_edges
    from ibmap.options import n_cores
    from ibmap.result.relating import related

    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    console = standard_output()
    with warnings_as_messages(), Waiting("learning", compiling=False) as waiting:
        table = demo_table()
        load_kernels_for(table, True, waiting)
        console.print(STORY.format(rows=table.n_samples, variables=table.n_variables))
        options, interrupts = RecommendedOptions(), Interrupts(waiting)
        with interrupts:
            result = learn_recommended(table, options, n_threads=n_cores(), callback=interrupts)
        result = Asked().answered(related(result, table), table, options, interrupts, {})
    print_summary(result, "the built-in health survey")
    console.print("\nThe learned network", style="bold")
    print_drawing(result.graph)
    edges = compare_edges(result.graph, demo_network().graph)
    console.print("\nCompared with the true network", style="bold")
    print_edges(edges)
    _write(folder, result)
    interrupts.end()


def _write(folder: Path, result: "SearchResult") -> None:
    """Write the table, both networks, the picture and the page."""
    import csv
    import io

    from ibmap.data.files import write_atomically
    from ibmap.datasets.demo import demo_network, demo_rows
    from ibmap.result.formats import write_network

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(demo_rows())
    write_atomically(folder / "survey.csv", text.getvalue())
    write_network(result, folder / "network.json")
    write_network(demo_network().graph, folder / "truth.json")
    names = ["survey.csv", "network.json", "truth.json"]
    for name, write in (("network.png", _write_picture), ("page.html", _write_page)):
        try:
            write(result, folder / name)
        except MissingLibraryError as error:
            say(f"no {name}: {error}")
        else:
            names.append(name)
    say(f"written to {folder}: {', '.join(names)}")
    say(f"try next: ibmap learn {folder / 'survey.csv'}")


def _write_picture(result: "SearchResult", path: Path) -> None:
    """Draw the learned network over the true one."""
    from ibmap.data.files import write_atomically
    from ibmap.datasets.demo import demo_network
    from ibmap.plotting import plot_comparison
    from ibmap.plotting.canvas import new_figure, picture_bytes

    figure = new_figure((9, 5))
    title = "A health survey: the network learned, and the truth"
    plot_comparison(result, demo_network().graph, figure.add_subplot(), title=title)
    write_atomically(path, picture_bytes(figure, ".png"))


def _write_page(result: "SearchResult", path: Path) -> None:
    from ibmap.report import write_report

    write_report(result, path, title="A health survey")
