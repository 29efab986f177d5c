"""``ibmap plot``: a network in, a picture out."""

from typing import TYPE_CHECKING, Any, Literal

from ibmap.cli.console import say
from ibmap.cli.flags import argument, flag
from ibmap.cli.options import check_place
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ibmap.result.formats import Network

Kind = Literal["network", "matrix", "trace"]


def plot(
    network: str = argument(
        "NETWORK", "A network: .json (with the evidence), .graphml, or .csv (edges or matrix)."
    ),
    picture: str = argument("PICTURE", "Where to draw it: a .png, .svg or .pdf file."),
    kind: Kind = flag("network", "The network, its matrix in blocks, or the score during the search."),
    reference: str | None = flag(
        None, "Another network: draw edges in both, missing and extra ones.", "NETWORK"
    ),
    layout: Literal["stress", "circle", "spring"] | None = flag(
        None, "Distances as in the network, a circle, or springs. (default: stress)"
    ),
    colour: Literal["group", "degree", "none"] | None = flag(
        None, "By group, by number of neighbours, or not at all. (default: group)"
    ),
    title: str | None = flag(None, "Above the picture.", "TEXT"),
) -> None:
    """Draw a NETWORK as a PICTURE."""
    from ibmap.data.files import write_atomically
    from ibmap.plotting.canvas import FORMATS, need_matplotlib, picture_bytes
    from ibmap.result.formats import read_network

    given = {"layout": layout, "colour": colour, "reference": reference}
    given = {name: value for name, value in given.items() if value is not None}
    _refuse_inapplicable(kind, given)
    ending = check_place(picture, "picture", *FORMATS)
    need_matplotlib()
    other = read_network(given.pop("reference")) if reference else None  # type: ignore[arg-type]
    figure = _draw(read_network(network), kind, other, {**given, "title": title})
    write_atomically(picture, picture_bytes(figure, ending))
    say(f"written: {picture}")


def _refuse_inapplicable(kind: Kind, given: dict[str, Any]) -> None:
    """Refuse options that the picture would not use."""
    for name in given:
        if kind != "network":
            msg = f"--{name} belongs to --kind network; leave it out with --kind {kind}"
            raise InvalidOptionError(msg)
    if "colour" in given and "reference" in given:
        msg = "--colour cannot be used with --reference, where colours tell the kinds of edges; leave one out"
        raise InvalidOptionError(msg)


def _draw(network: "Network", kind: Kind, other: "Network | None", options: dict[str, Any]) -> "Figure":
    from ibmap.plotting import plot_comparison, plot_matrix, plot_network, plot_trace
    from ibmap.plotting.canvas import new_figure
    from ibmap.result.formats import as_result, graph_of

    growth = min(max(1.0, (graph_of(network).n_variables / 10) ** 0.5), 1.8)  # room for more names
    sizes = {"network": (9 * growth, 6 * growth), "matrix": (8.5, 8.0), "trace": (8.5, 4.5)}
    figure = new_figure(sizes[kind])
    ax = figure.add_subplot()
    if other is not None:
        plot_comparison(network, other, ax, **options)
    elif kind == "network":
        plot_network(network, ax, **options)
    elif kind == "matrix":
        plot_matrix(network, ax, **options)
    else:
        plot_trace(as_result(network), ax, **options)
    return figure
