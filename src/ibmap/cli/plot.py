"""``ibmap plot``: a network in, a picture out."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from ibmap.cli.console import say, warnings_as_messages
from ibmap.cli.flags import argument, flag, member
from ibmap.cli.options import ReadingAsLearned, check_place
from ibmap.cli.progress import Waiting
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ibmap.result.formats import Network

Kind = Literal[
    "network", "matrix", "trace", "evidence", "probabilities",
    "sizes", "structures", "reliability", "stability",
]  # fmt: skip
PLACED = ("network", "evidence")  # kinds with a layout
DRAWING = "Drawing"


@dataclass(frozen=True)
class Drawing:
    """How the network is drawn."""

    layout: Literal["stress", "circle", "spring"] | None = member(
        None, "Distances as in the network, a circle, or springs. (default: stress)", panel=DRAWING
    )
    colour: Literal["group", "degree", "none"] | None = member(
        None, "By group, by number of neighbours, or not at all. (default: group)", panel=DRAWING
    )
    lines: Literal["strength", "evidence"] | None = member(
        None,
        "Width by strength, coloured by sign, or by evidence. (default: strength, if it is known)",
        panel=DRAWING,
    )


def plot(
    network: str = argument(
        "NETWORK", "A network: .json (with the evidence), .graphml, or .csv (edges or matrix)."
    ),
    picture: str = argument("PICTURE", "Where to draw it: a .png, .svg or .pdf file."),
    kind: Kind = flag(
        "network",
        "The network, its matrix in blocks, the score during the search; the network with what is present "
        "and undecided, the probabilities in order, how probable each number of edges and each of the best "
        "structures is, whether claims come true (learned with --calibrate), or how stable it is as rows are "
        "dropped (with --data).",
    ),
    reference: str | None = flag(
        None, "Another network: draw edges in both, missing and extra ones.", "NETWORK"
    ),
    title: str | None = flag(None, "Above the picture.", "TEXT"),
    data: str | None = flag(None, "stability: the table the network was learned from.", "TABLE"),
    *,
    drawing: Drawing,
) -> None:
    """Draw a NETWORK as a PICTURE."""
    from ibmap.data.files import write_atomically
    from ibmap.plotting.canvas import FORMATS, need_matplotlib, picture_bytes
    from ibmap.result.formats import read_network

    given = {**asdict(drawing), "reference": reference}
    given = {name: value for name, value in given.items() if value is not None}
    _refuse_inapplicable(kind, given)
    if (kind == "stability") != (data is not None):
        msg = (
            "--kind stability and --data TABLE belong together: the network is learned again from fewer rows"
        )
        raise InvalidOptionError(msg)
    ending = check_place(picture, "picture", *FORMATS)
    need_matplotlib()
    other = read_network(given.pop("reference")) if reference else None
    learned = read_network(network)
    if data is not None:
        figure = _draw_stability(learned, data, title)
    else:
        figure = _draw(learned, kind, other, {**given, "title": title})
    write_atomically(picture, picture_bytes(figure, ending))
    say(f"written: {picture}")


def _refuse_inapplicable(kind: Kind, given: dict[str, Any]) -> None:
    """Refuse options that the picture would not use."""
    for name in given:
        if kind != "network" and not (kind in PLACED and name == "layout"):
            msg = f"--{name} belongs to --kind network; leave it out with --kind {kind}"
            raise InvalidOptionError(msg)
    for name in ("colour", "lines"):
        if name in given and "reference" in given:
            msg = (
                f"--{name} cannot be used with --reference, where colours tell kinds of edges; leave one out"
            )
            raise InvalidOptionError(msg)


def _draw(network: "Network", kind: Kind, other: "Network | None", options: dict[str, Any]) -> "Figure":
    from ibmap import plotting
    from ibmap.plotting.canvas import new_figure
    from ibmap.result.formats import as_result, graph_of

    growth = min(max(1.0, (graph_of(network).n_variables / 10) ** 0.5), 1.8)  # room for more names
    placed = (9 * growth, 6 * growth)
    sizes = {"network": placed, "evidence": placed, "matrix": (8.5, 8.0), "trace": (8.5, 4.5)}
    sizes |= {"sizes": (8.5, 4.5), "structures": (9.5, 5.0), "reliability": (6.0, 5.5)}
    figure = new_figure(sizes.get(kind, (8.5, 8.0)))
    ax = figure.add_subplot()
    if other is not None:
        plotting.plot_comparison(network, other, ax, **options)
    elif kind in ("network", "matrix"):
        getattr(plotting, f"plot_{kind}")(network, ax, **options)
    else:
        getattr(plotting, f"plot_{kind}")(as_result(network), ax, **options)
    return figure


def _draw_stability(network: "Network", source: str, title: str | None) -> "Figure":
    """Learn again from fewer and fewer rows of the table, with the options recorded."""
    from ibmap.confidence.learned import learned_stability
    from ibmap.plotting import plot_stability
    from ibmap.plotting.canvas import new_figure
    from ibmap.result.formats import as_result

    result = as_result(network)
    with warnings_as_messages(), Waiting("learning from fewer rows"):
        table = ReadingAsLearned().read(source, network)
        stability = learned_stability(result, table)
    figure = new_figure((8.5, 4.8))
    plot_stability(stability, figure.add_subplot(), title=title)
    return figure
