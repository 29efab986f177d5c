"""Pictures show the edges there are, take any name, and are always the same."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from cli_runner import run_fixture, table_fixture  # noqa: F401
from ibmap.confidence.bootstrap import Stability
from ibmap.errors import InvalidOptionError
from ibmap.evidence.relation import Relation
from ibmap.graph import MarkovGraph
from ibmap.graph.layout import LAYOUTS, block_order, place
from ibmap.graph.layout.overview import overview
from ibmap.plotting import (
    plot_comparison,
    plot_evidence,
    plot_matrix,
    plot_network,
    plot_probabilities,
    plot_reliability,
    plot_sizes,
    plot_stability,
    plot_structures,
    plot_trace,
)
from ibmap.plotting.canvas import new_figure, picture_bytes
from ibmap.plotting.network import SIGNS
from ibmap.result.confidence import Structure
from ibmap.result.formats import weight_matrix
from ibmap.result.reliability import Reliability
from report_samples import NAUGHTY, crowd, naughty, ring, sample, sure_sample

pytestmark = pytest.mark.compiled_only("a page or picture as a whole says nothing new about kernels")


@pytest.fixture(name="ax")
def ax_fixture():
    return new_figure((6, 4)).add_subplot()


def with_structures():
    """A result whose confidence tells two structures."""
    result = sure_sample()
    median = ((0, 1), (1, 2), (3, 4))
    best = (Structure(0.3, median), Structure(0.2, ((0, 1), (0, 5), (3, 4))))
    return replace(result, confidence=replace(result.confidence, structures=best, sizes=((2, 0.3), (3, 0.7))))


def _nearest(points, end):
    return int(np.argmin(np.linalg.norm(points - end, axis=1)))


def drawn(ax, points):
    """Edges of each collection of lines, by the places of their ends."""
    found = []
    for lines in (each for each in ax.collections if isinstance(each, LineCollection)):
        ends = [
            [int(np.argmin(np.linalg.norm(points - end, axis=1))) for end in path]
            for path in lines.get_segments()
        ]
        found.append({tuple(sorted(pair)) for pair in ends})
    return found


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("n_variables", [6, 60])
def test_a_network_is_drawn_with_all_its_edges(ax, layout, n_variables):
    result = ring(n_variables)
    assert plot_network(result, ax, layout=layout) is ax
    points = place(result.graph.adjacency, layout, weight_matrix(result))
    assert drawn(ax, points) == [set(result.graph.edges)]
    assert [text.get_text() for text in ax.texts] == list(result.graph.names)


def test_many_variables_are_drawn_as_their_groups(ax):
    graph = crowd(500)
    many = overview(graph.adjacency)
    plot_network(graph, ax, title="Many")
    labels = ["\n".join(many.label(k, graph.names)) for k in range(len(many.circles))]
    *named, caption = [text.get_text() for text in ax.texts]
    assert named == labels
    assert caption.startswith("500 variables: a circle for each of")
    assert ax.get_title(loc="left") == "Many"
    circles = [patch for patch in ax.patches if isinstance(patch, Circle)]
    assert [circle.radius for circle in circles] == many.radii.tolist()
    (lines,) = (each for each in ax.collections if isinstance(each, LineCollection))
    assert len(lines.get_segments()) == np.count_nonzero(np.triu(many.between, 1))


def test_the_matrix_of_many_variables_is_one_of_groups(ax):
    graph = crowd(500)
    many = overview(graph.adjacency)
    plot_matrix(graph, ax)
    shades = np.asarray(ax.images[0].get_array())
    assert np.array_equal(shades > 0, many.between > 0)
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        " ".join(many.label(k, graph.names)) for k in range(len(many.circles))
    ]
    assert "500 variables in groups" in ax.get_xlabel()


@pytest.mark.parametrize("layout", ["stress", "circle"])
def test_boxes_with_names_do_not_overlap(layout):
    names = [f"a rather long name {k}" for k in range(14)]
    edges = [(k, j) for k in range(14) for j in range(k) if (k + j) % 3 == 0]
    figure = new_figure((12, 8))
    ax = plot_network(MarkovGraph.from_edges(14, edges, names), figure.add_subplot(), layout=layout)
    figure.canvas.draw()
    boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts]
    assert not any(box.overlaps(other) for k, box in enumerate(boxes) for other in boxes[:k])


def test_edges_are_the_wider_the_more_evidence_there_is(ax):
    plot_network(sample(losses=[1.0, 9.0, 4.0]), ax)
    widths = ax.collections[0].get_linewidths()
    assert list(np.argsort(widths)) == [0, 2, 1]


def test_colours_tell_groups_or_degrees_or_nothing():
    def colours(colour):
        ax = Figure().add_subplot()
        plot_network(sample(), ax, colour=colour)
        return [text.get_bbox_patch().get_edgecolor() for text in ax.texts]

    group, degree, none = map(colours, ("group", "degree", "none"))
    assert group[0] == group[1] != group[3]
    assert degree[0] == degree[3] != degree[1]
    assert len(set(none)) == 1
    with pytest.raises(InvalidOptionError, match="'group', 'degree', 'none'"):
        colours("mood")


@pytest.mark.parametrize("order", ["blocks", "columns"])
def test_the_matrix_marks_every_edge(ax, order):
    result = sample()
    plot_matrix(result, ax, order=order)
    shades = 1 - np.asarray(ax.images[0].get_array())[:, :, 0]
    places = block_order(result.graph.adjacency, weight_matrix(result)) if order == "blocks" else np.arange(6)
    assert np.array_equal(shades > 0, result.graph.adjacency[np.ix_(places, places)])
    assert [text.get_text() for text in ax.get_yticklabels()] == [f"x{k}" for k in places]
    assert shades[shades > 0].max() == pytest.approx(1 - 0x21 / 255)


def test_relations_are_drawn_by_sign_and_strength(ax):
    relations = (_relation(0, 1, 0.6, 1), _relation(1, 2, -0.2, -1), _relation(2, 3, 0.4, 0))
    result = replace(sample(4, [(0, 1), (1, 2), (2, 3)]), relations=relations)
    plot_network(result, ax)
    found = {to_hex(lines.get_colors()[0]): lines.get_linewidths() for lines in ax.collections}
    assert set(found) == {colour for colour, _ in SIGNS.values()}
    assert found[SIGNS[1][0]][0] > found[SIGNS[-1][0]][0]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[:3] == ["positive (1)", "negative (1)", "no sign (1)"]
    figure = new_figure((4, 3))
    ax = plot_network(result, figure.add_subplot(), lines="evidence")
    assert ax.get_legend() is None


def _relation(x, y, strength, sign):
    half = ((0.5, 0.5), (0.5, 0.5))
    return Relation(x, y, strength, sign, strength**2, 0.1, None, False, ("0", "1"), ("0", "1"), half, half)


def test_more_weight_brings_variables_together():
    chain = MarkovGraph.from_edges(3, [(0, 1), (1, 2)])
    weights = np.array([[0, 0.9, 0], [0.9, 0, 0.1], [0, 0.1, 0]])
    points = place(chain.adjacency, weights=weights)
    first, second = (np.linalg.norm(points[1] - points[k]) for k in (0, 2))
    assert first < second


def test_a_large_matrix_has_no_names(ax):
    plot_matrix(ring(100), ax)
    assert ax.get_xticklabels() == []


def test_the_trace_has_every_ascent(ax):
    result = sample()
    plot_trace(result, ax)
    scores = ax.lines[0].get_ydata().tolist()
    assert scores == [result.trace[0].score - result.trace[0].gain, *(flip.score for flip in result.trace)]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "edge added (2)",
        "edge taken out (1)",
    ]


def test_a_search_that_stayed_where_it_was_is_a_point(ax):
    plot_trace(sample(trace=(), n_ascents=0), ax)
    assert ax.lines[0].get_ydata().tolist() == [-47.25]


def test_without_a_score_there_is_no_trace(ax):
    with pytest.raises(InvalidOptionError, match="hc does not search by a score"):
        plot_trace(sample(score=None, trace=()), ax)


def test_a_comparison_tells_shared_missing_and_extra_edges(ax):
    learned = MarkovGraph.from_edges(4, [(0, 1), (1, 2)])
    reference = MarkovGraph.from_edges(4, [(0, 1), (2, 3)])
    plot_comparison(learned, reference, ax)
    both = learned.adjacency | reference.adjacency
    assert drawn(ax, place(both)) == [{(0, 1)}, {(2, 3)}, {(1, 2)}]


def _plot_itself(result, ax, title):
    return plot_comparison(result, result, ax, title=title)


def test_pictures_take_any_name_and_any_graph():
    results = [naughty(), sample(0, []), sample(1, []), sample(3, [])]
    for result in results:
        for draw in (
            plot_network,
            plot_matrix,
            plot_trace,
            lambda r, ax, title: plot_comparison(r, r, ax, title=title),
        ):
            figure = new_figure((6, 4))
            draw(result, figure.add_subplot(), title="$\\broken$ <b>")
            assert picture_bytes(figure, ".png").startswith(b"\x89PNG")


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_the_same_network_gives_the_same_bytes(tmp_path, run, suffix, start):
    sample().to_json(tmp_path / "net.json")
    for name in ("a", "b"):
        assert run("plot", tmp_path / "net.json", tmp_path / (name + suffix)).code == 0
    content = (tmp_path / ("a" + suffix)).read_bytes()
    assert content.startswith(start)
    assert content == (tmp_path / ("b" + suffix)).read_bytes()


def test_names_are_not_markup_in_an_svg(tmp_path, run):
    naughty().to_json(tmp_path / "net.json")
    assert run("plot", tmp_path / "net.json", tmp_path / "net.svg").code == 0
    assert "<script" not in (tmp_path / "net.svg").read_text()
    assert NAUGHTY[0] not in (tmp_path / "net.svg").read_text()


@pytest.mark.parametrize(
    "options", [["--kind", "matrix"], ["--kind", "trace"], ["--layout", "circle"], ["--reference", "NET"]]
)
def test_every_kind_of_picture_can_be_asked_for(tmp_path, run, options):
    sample().to_json(tmp_path / "net.json")
    options = [str(tmp_path / "net.json") if word == "NET" else word for word in options]
    assert run("plot", tmp_path / "net.json", tmp_path / "net.png", *options).code == 0


@pytest.mark.parametrize(
    ("picture", "options", "message"),
    [
        ("net.bmp", [], ".png, .svg, .pdf"),
        ("no/net.png", [], "no folder"),
        ("net.png", ["--kind", "matrix", "--layout", "circle"], "--layout belongs to --kind network"),
        ("net.png", ["--reference", "x.json", "--colour", "degree"], "leave one out"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_refused(tmp_path, run, picture, options, message):
    sample().to_json(tmp_path / "net.json")
    found = run("plot", tmp_path / "net.json", tmp_path / picture, *options)
    assert found.code == 2
    assert message in found.err


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_evidence_plot_tells_present_edges_from_undecided_pairs(ax):
    result = sure_sample()
    plot_evidence(result, ax)
    assert legend(ax) == ["present (2)", "undecided, joined (1)", "undecided, not joined (1)"]
    assert drawn(ax, place(result.graph.adjacency, "stress"))[:3] == [{(0, 1), (3, 4)}, {(1, 2)}, {(0, 5)}]


def test_undecided_pairs_that_are_not_joined_can_be_left_out(ax):
    assert legend(plot_evidence(sure_sample(), ax, undecided=False)) == [
        "present (2)",
        "undecided, joined (1)",
    ]


def test_probabilities_are_drawn_in_order_the_least_sure_if_there_are_many(ax):
    plot_probabilities(sure_sample(), ax, n_pairs=2)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x1 – x2", "x0 – x5"]
    assert ax.get_xlabel() == "probability of the edge"


def test_frequencies_are_not_drawn_as_probabilities(ax):
    plot_probabilities(sure_sample(method="bootstrap").confidence, ax)
    assert ax.get_xlabel() == "how often resampled rows give the edge"


def test_sizes_are_drawn_beside_the_networks(ax):
    plot_sizes(with_structures(), ax)
    assert [bar.get_height() for bar in ax.patches] == [0.3, 0.7]
    assert legend(ax) == ["median network: 3 edges", "network learned: 3 edges"]


def test_structures_are_named_by_how_they_differ_from_the_median_network(ax):
    plot_structures(with_structures(), ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "the median network",
        "+ x0 – x5, − x1 – x2",
    ]
    assert ax.get_xlabel() == "probability; these 2 together 0.5"


def test_claims_that_come_true_lie_on_the_diagonal(ax):
    told = Reliability.of([0.98] * 49 + [0.98] + [0.3] * 10, [True] * 49 + [False] + [True] * 3 + [False] * 7)
    plot_reliability({"calibrated": told}, ax)
    xs, ys = ax.lines[1].get_data()
    assert xs.tolist() == pytest.approx([0.3, 0.98]) == ys.tolist()
    assert legend(ax) == [f"calibrated: error 0.000 ({told.error_by_chance:.3f} by chance)"]


@pytest.mark.parametrize(
    ("draw", "message"), [(plot_sizes, "whole structures"), (plot_reliability, "--calibrate")]
)
def test_what_is_not_known_of_structures_is_told_with_the_remedy(ax, draw, message):
    with pytest.raises(InvalidOptionError, match=message):
        draw(sure_sample(), ax)


@pytest.mark.parametrize("draw", [plot_evidence, plot_probabilities])
def test_a_network_that_does_not_tell_how_sure_it_is_says_what_to_do(ax, draw):
    with pytest.raises(InvalidOptionError, match="--confidence posterior"):
        draw(sample(), ax)


def test_the_curve_of_stability_tells_how_many_rows_can_be_spared(ax):
    plot_stability(Stability((0.1, 0.5), (0.95, 0.8), (0.9, 0.6), 0.1, "finished"), ax)
    assert "0.7: 10 % of the rows can be spared" in legend(ax)
    assert [line.get_ydata()[-1] for line in ax.lines[-2:]] == [0.8, 0.6]


def test_names_that_look_like_formulas_are_drawn_literally(ax):
    result = sure_sample(names=[f"$x_{k}$" for k in range(6)])
    for draw in (plot_evidence, plot_probabilities):
        assert len(picture_bytes(draw(result, new_figure((5, 4)).add_subplot()).figure, ".png")) > 1000
