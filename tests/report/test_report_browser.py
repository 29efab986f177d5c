"""The page in a real browser: it opens from disk, shows what the library found, and does what it offers.

Every page opened here must ask for nothing, complain of nothing and run nothing from the data.
"""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from browser import Opened, browser_fixture, open_fixture  # noqa: F401
from ibmap import IBMAP, compare_groups, encode
from ibmap.data.text import printable
from ibmap.datasets.demo import demo_table
from ibmap.evidence.relation_words import strength_text
from ibmap.evidence.words import in_words
from ibmap.learners import HillClimbingOptions, learn_hc
from ibmap.report import write_report
from ibmap.report.views import raised
from report_samples import NAUGHTY, naughty, ring, sample, sure_sample

pytestmark = pytest.mark.compiled_only("a page or picture as a whole says nothing new about kernels")

DRAWN = """() => {
    const at = (x, y) => [...document.querySelectorAll(".node")].findIndex((node) => {
        const { e, f } = node.transform.baseVal.consolidate().matrix;
        return Math.hypot(e - x, f - y) < 0.01;
    });
    const lines = [...document.querySelectorAll("line.edge")];
    const end = (line, k) => at(line["x" + k].baseVal.value, line["y" + k].baseVal.value);
    const seen = lines.filter((line) => getComputedStyle(line).display !== "none");
    return seen.map((line) => [end(line, 1), end(line, 2)]);
}"""


def drawn_edges(opened):
    """Pairs of the edges that can be seen, by the places of their ends."""
    return set(map(tuple, opened.page.evaluate(DRAWN)))


def node(opened, k):
    return opened.page.locator(".node").nth(k)


@pytest.fixture(scope="module", name="learned")
def learned_fixture():
    return learn_hc(demo_table(), HillClimbingOptions())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_drawing_and_the_tables_show_what_was_learned(open_page, learned, scheme):
    opened = open_page(learned, color_scheme=scheme)
    names = learned.graph.names
    assert drawn_edges(opened) == set(learned.graph.edges)
    assert opened.texts(".node text") == list(names)
    rows = opened.rows("#edge-table")
    assert len(rows) == len(learned.explanations)
    for row, pair in zip(rows, learned.explanations, strict=True):
        assert row[:3] == [pair.x, pair.y, "yes" if pair.is_edge else "no"]
        assert row[3:6] == [f"{pair.loss:,.2f}", raised(in_words(pair.loss)), pair.strength]
        assert row[6] in raised(str(pair))
        assert row[7] == ("thin" if pair.is_thin else "enough")
    rows = opened.rows("#variable-table")
    assert [row[0] for row in rows] == list(names)
    for k, (row, known) in enumerate(zip(rows, learned.descriptions, strict=True)):
        assert row[1:5] == [str(known.n_states), f"{known.entropy:.3f}", str(known.n_missing), known.thinness]
        assert set(row[-1].split(", ")) == {names[j] for j in learned.graph.blanket(k)}


def related_result():
    """Positive, negative, and three states in no order; a pair whose loss is minus nothing."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 400)
    b, c = a ^ (rng.random(400) < 0.2), 1 - (a ^ (rng.random(400) < 0.2))
    d = np.where(rng.random(400) < 0.6, b, 2)
    table = encode(np.column_stack([a, b, c, d]))
    return IBMAP().fit(table).result_


def test_a_chosen_edge_shows_how_its_ends_are_related(open_page):
    result = related_result()
    opened = open_page(result)
    for k, pair in enumerate(pair for pair in result.explanations if pair.is_edge):
        row = opened.page.locator("#edge-table tbody tr").nth(k)
        row.click()
        text = opened.page.locator("#details").inner_text()
        assert pair.relationship()[1] in text
        cells = [f"{100 * p:.0f} %" for line in pair.relation.y_given_x for p in line]
        shown = opened.page.locator("#details .cross").first.locator("td").all_inner_texts()
        assert [each for each in shown if "over" not in each and "under" not in each] == [
            own for own, each in zip(cells, shown, strict=True) if "over" not in each and "under" not in each
        ]
        assert strength_text(pair.relation) in row.inner_text()
    signs = {1: "positive", -1: "negative"}
    for sign, name in signs.items():
        n_lines = opened.page.locator(f"line.edge.{name}").count()
        assert n_lines == sum(each.sign == sign for each in result.relations) > 0


def test_the_drawing_is_saved_as_svg_and_png(open_page):
    opened = open_page(related_result(), title="A / strange: title")
    for kind, begin in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with opened.page.expect_download() as download:
            opened.page.click(f"#save-{kind}")
        assert download.value.suggested_filename == f"A-strange-title.{kind}"
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(begin)
        if kind == "svg":
            drawing = ElementTree.fromstring(content)
            assert len([each for each in drawing.iter() if each.tag.endswith("circle")]) == 4
            assert "even when all others are known" in "".join(drawing.itertext())


def test_groups_stand_side_by_side_with_what_differs(browser, tmp_path):
    rng = np.random.default_rng(0)
    group, a = rng.integers(0, 2, (2, 600))
    b = a ^ group ^ (rng.random(600) < 0.2)
    table = encode(np.column_stack([group, a, b]))
    write_report(
        IBMAP().fit(table).result_, tmp_path / "page.html", groups=compare_groups(table, by=0), table=table
    )
    opened = Opened(browser, tmp_path / "page.html")
    assert opened.texts(".panel b") == ["0", "1"]
    assert opened.page.locator(".panel .mark").count() == 2
    assert opened.page.locator(".panel .edge.positive").count() == 1
    assert opened.page.locator(".panel .edge.negative").count() == 1
    assert opened.rows("#group-table")[0][-1] == "different"
    assert opened.trouble == []
    opened.page.close()


def test_a_loss_next_to_nothing_never_reads_as_minus_zero(open_page):
    result = related_result()
    evidence = tuple(replace(pair, loss=-0.001) for pair in result.evidence)
    opened = open_page(replace(result, evidence=evidence))
    assert "-0.00" not in opened.page.locator("#edge-table").inner_text()


def test_a_wide_network_stands_upright_on_a_phone(open_page):
    opened = open_page(sample(8, [(k, k + 1) for k in range(7)]), viewport={"width": 390, "height": 844})
    box = opened.page.locator("#drawing > g").evaluate("g => [g.getBBox().width, g.getBBox().height]")
    assert box[1] > 1.5 * box[0]


def test_a_chosen_pair_is_explained_as_the_library_does(open_page, learned):
    opened = open_page(learned)
    for k, pair in enumerate(learned.explanations[:12]):
        opened.page.locator("#edge-table tbody tr").nth(k).click()
        text = opened.page.locator("#details").inner_text()
        assert f"evidence {pair.strength}" in text
        for remark in pair.remarks():
            assert remark in text
        for said in pair.statements:
            counts = said.counts
            shown = f"{counts.n_seen:,} of {counts.n_configurations:,}"
            assert shown in text
            assert f"Pr({'independent' if said.independent else 'dependent'}) = " in text


def test_figures_and_facts_are_the_library_s(open_page, learned):
    opened = open_page(learned)
    text = opened.page.locator("body").inner_text()
    source = learned.provenance
    for figure in (
        f"{learned.score:,.2f}",
        f"{learned.n_tests:,}",
        f"{source.n_samples:,}",
        source.fingerprint,
    ):
        assert figure in text
    assert repr(learned.score) in text


def test_the_matrix_and_the_trace_show_every_edge_and_every_ascent(open_page):
    result = sample()
    opened = open_page(result)
    assert opened.page.locator(".cell:visible:not(.absent)").count() == 2 * result.graph.n_edges
    assert opened.page.locator("#trace circle").count() == len(result.trace)
    assert opened.page.locator("#trace circle.taken").count() == sum(not flip.added for flip in result.trace)


def test_the_slider_hides_the_weakest_edges_first(open_page):
    opened = open_page(sample())
    opened.page.locator("#weak").fill("1")
    assert drawn_edges(opened) == {(1, 2), (3, 4)}
    assert opened.page.locator("#weak-text").inner_text() == "2 of 3 edges, loss at least 11.50"
    assert opened.page.locator(".cell:visible:not(.absent)").count() == 4
    opened.page.locator("#weak").fill("3")
    assert drawn_edges(opened) == set()
    opened.page.locator("#weak").fill("0")
    assert len(drawn_edges(opened)) == 3


def test_pairs_nearly_joined_are_drawn_on_request(open_page):
    result = sample()
    opened = open_page(result)
    opened.page.locator("#near").check()
    assert drawn_edges(opened) == {(pair.x, pair.y) for pair in result.evidence}


def test_a_click_on_a_variable_shows_its_blanket(open_page):
    opened = open_page(sample())
    node(opened, 1).click()
    assert opened.texts("#details h3") == ["x1"]
    assert "blanket of 2, it is independent of the other 3" in opened.page.locator("#details").inner_text()
    dimmed = opened.page.evaluate(
        "[...document.querySelectorAll('.node')].map((n) => n.classList.contains('dim'))"
    )
    assert dimmed == [False, False, False, True, True, True]
    assert {row[0] for row in opened.rows("#edge-table")} | {
        row[1] for row in opened.rows("#edge-table")
    } >= {"x1"}
    assert all("x1" in row[:2] for row in opened.rows("#edge-table"))
    opened.page.locator("#only").click()
    assert len(opened.rows("#edge-table")) == 7
    assert opened.page.locator(".node.dim").count() == 0


def test_a_row_of_the_table_of_edges_is_linked_to_the_drawing(open_page):
    opened = open_page(sample())
    row = opened.page.locator("#edge-table tbody tr").nth(1)
    row.hover()
    assert opened.page.locator("line.pointed").count() == 1
    row.click()
    assert opened.page.locator("line.edge.chosen").count() == 1
    assert opened.page.locator(".node.chosen").count() == 2
    assert "Without this edge the structure is" in opened.page.locator("#details").inner_text()


def test_a_line_of_the_drawing_can_be_chosen(open_page):
    opened = open_page(sample())
    opened.page.locator(".grip").first.dispatch_event("click")
    assert opened.page.locator("#edge-table tr.chosen").count() == 1


def test_search_finds_a_variable_by_its_name_or_a_part_of_it(open_page):
    opened = open_page(sample(names=["rain", "wet", "mud", "sun", "tan", "moon"]))
    opened.page.locator("#find").fill("tan")
    assert opened.texts("#details h3") == ["tan"]
    opened.page.locator("#find").fill("moo")
    opened.page.locator("#find").press("Enter")
    assert opened.texts("#details h3") == ["moon"]
    opened.page.locator("#find").fill("snow")
    opened.page.locator("#find").press("Enter")
    assert opened.page.locator("#find").get_attribute("aria-invalid") == "true"
    opened.page.locator("#find").fill("")
    assert opened.page.locator("#details h3").count() == 0


def test_tables_sort_by_a_heading_and_back(open_page):
    opened = open_page(sample())
    heading = opened.page.locator("#edge-table th").nth(3)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    falling = [float(row[3]) for row in opened.rows("#edge-table")]
    assert falling == sorted(falling, reverse=True)
    heading.locator("button").click()
    assert [float(row[3]) for row in opened.rows("#edge-table")] == sorted(falling)
    opened.page.locator("#variable-table th button").first.click()
    assert [row[0] for row in opened.rows("#variable-table")] == [f"x{k}" for k in range(6)]


def test_names_sort_by_their_numbers(open_page):
    opened = open_page(ring(12))
    opened.page.locator("#variable-table th button").first.click()
    assert [row[0] for row in opened.rows("#variable-table")][-2:] == ["x10", "x11"]


def test_tables_filter_by_a_word(open_page):
    opened = open_page(sample())
    opened.page.locator("#filter-edges").fill("X4")
    assert all("x4" in row[:2] for row in opened.rows("#edge-table"))
    opened.page.locator("#filter-variables").fill("nothing like it")
    assert opened.rows("#variable-table") == [["None."]]


def test_a_variable_can_be_dragged_and_the_drawing_zoomed(open_page):
    opened = open_page(sample())
    before = drawn_edges(opened)
    node(opened, 3).scroll_into_view_if_needed()
    box = node(opened, 3).locator("circle").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    opened.page.mouse.move(x + 40, y + 30, steps=4)
    opened.page.mouse.up()
    moved = node(opened, 3).locator("circle").bounding_box()
    assert abs(moved["x"] - box["x"] - 40) < 3
    assert abs(moved["y"] - box["y"] - 30) < 3
    assert drawn_edges(opened) == before
    opened.page.locator("#zoom-out").click()
    opened.page.wait_for_timeout(50)
    assert node(opened, 3).locator("circle").bounding_box()["x"] != moved["x"]


def test_everything_can_be_reached_by_the_keyboard(open_page):
    opened = open_page(sample())
    opened.page.locator("#zoom-fit").focus()
    opened.page.locator(".node[tabindex='0']").focus()
    opened.page.keyboard.press("Enter")
    assert opened.texts("#details h3") == ["x0"]
    for _ in range(3):
        opened.page.keyboard.press("ArrowRight")
    walked = opened.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert re.match(r"x[1-5], \d in its blanket", walked)
    opened.page.keyboard.press("Enter")
    assert opened.texts("#details h3") == [walked.split(",")[0]]
    opened.page.keyboard.press("Escape")
    assert opened.page.locator("#details h3").count() == 0
    opened.page.locator("#edge-table tbody tr").first.focus()
    opened.page.keyboard.press("Enter")
    assert opened.page.locator("tr.chosen").count() == 1


def test_hovering_tells_and_leaves(open_page):
    opened = open_page(sample())
    node(opened, 1).locator("circle").hover()
    assert opened.page.locator("#tip").inner_text().split("\n") == ["x1", "2 states", "2 in its blanket"]
    opened.page.locator("h1").hover()
    assert opened.page.locator("#tip").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dark_mode_follows_the_system_and_the_button(open_page, scheme):
    opened = open_page(sample(), color_scheme=scheme)

    def is_dark():
        colour = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(map(int, re.findall(r"\d+", colour)[:3])) < 200

    assert is_dark() == (scheme == "dark")
    opened.page.locator("#theme").click()
    assert is_dark() == (scheme == "light")


def test_colours_by_number_of_neighbours_differ_from_those_by_group(open_page):
    opened = open_page(sample())

    def colours():
        return opened.page.evaluate(
            "[...document.querySelectorAll('.node circle')].map((c) => getComputedStyle(c).fill)"
        )

    by_group = colours()
    assert by_group[0] == by_group[1]
    assert by_group[3] == by_group[4]
    assert by_group[0] != by_group[3]
    opened.page.locator("#colour").select_option("degree")
    by_degree = colours()
    assert by_degree[0] == by_degree[3]
    assert by_degree[0] != by_degree[1]


def visible(text):
    """A name as the page shows it."""
    return printable(text) or "(no name)"


def test_untrusted_text_is_shown_as_text_everywhere(open_page):
    opened = open_page(naughty(), title="<script>window.hacked = 4</script>")
    page = opened.page
    shown = [visible(name) for name in NAUGHTY]
    assert page.locator("h1").text_content() == "<script>window.hacked = 4</script>"
    assert page.title() == "<script>window.hacked = 4</script>"
    assert [row[0] for row in opened.rows("#variable-table")] == shown
    names = {cell for row in opened.rows("#edge-table") for cell in row[:2]}
    assert names == set(shown)
    for k, name in enumerate(shown):
        node(opened, k).dispatch_event("click")
        assert page.locator("#details h3").text_content() == name
        assert page.locator("#details .states").text_content() == printable(NAUGHTY[k]) * 2 + "!"
        node(opened, k).dispatch_event("pointermove")
        assert page.locator("#tip b").text_content() == name
        node(opened, k).dispatch_event("click")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("n_variables", [0, 1, 5, 200])
@pytest.mark.parametrize("width", [400, 1280])
def test_small_and_large_networks_fit_the_screen(open_page, n_variables, width):
    result = ring(n_variables) if n_variables else sample(0, [])
    opened = open_page(result, viewport={"width": width, "height": 900})
    assert len(drawn_edges(opened)) == result.graph.n_edges
    assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    inside = opened.page.evaluate("""() => {
        const box = document.getElementById("drawing").getBoundingClientRect();
        const circles = [...document.querySelectorAll(".node circle")].map((c) => c.getBoundingClientRect());
        const isInside = (c) => c.left >= box.left && c.right <= box.right
            && c.top >= box.top && c.bottom <= box.bottom;
        return circles.every(isInside);
    }""")
    assert inside


def test_labels_do_not_cover_each_other(open_page):
    opened = open_page(ring(60))
    overlapping = opened.page.evaluate("""() => {
        const shown = [...document.querySelectorAll(".node text")].filter((t) => !t.hasAttribute("display"));
        const boxes = shown.map((t) => t.getBoundingClientRect());
        const meet = (a, b) => a.left < b.right - 2 && b.left < a.right - 2
            && a.top < b.bottom - 4 && b.top < a.bottom - 4;
        return boxes.filter((a, k) => boxes.some((b, j) => j < k && meet(a, b))).length;
    }""")
    assert overlapping == 0


def test_a_network_without_evidence_offers_no_slider(open_page):
    opened = open_page(sample(evidence=(), score=None, trace=(), n_ascents=None, stopped="finished"))
    assert opened.page.locator("#weak-field").is_hidden()
    assert drawn_edges(opened) == {(0, 1), (1, 2), (3, 4)}
    assert "there is no trace" in opened.page.locator("#search").inner_text()


def test_printing_shows_whole_tables_on_white(open_page):
    opened = open_page(ring(60), color_scheme="dark")
    opened.page.emulate_media(media="print")
    assert opened.page.locator("#tools").is_hidden()
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert opened.page.evaluate("getComputedStyle(document.querySelector('.scroll')).overflowY") == "visible"


def styles(opened):
    """How the lines that can be seen are drawn, by their ends."""
    script = DRAWN.replace(
        "[end(line, 1), end(line, 2)]", "[end(line, 1), end(line, 2), line.classList[1] ?? '']"
    )
    return {(x, y): style for x, y, style in opened.page.evaluate(script)}


def test_lines_tell_what_is_present_and_what_is_undecided(open_page):
    opened = open_page(sure_sample())
    assert styles(opened) == {(0, 1): "", (1, 2): "undecided", (3, 4): ""}
    assert opened.texts("#line-legend span") == ["present", "undecided, joined", "undecided, not joined"]
    opened.page.locator("#near").check()
    assert styles(opened)[0, 5] == "absent"


def test_the_slider_hides_edges_by_their_probability(open_page):
    opened = open_page(sure_sample())
    opened.page.locator("#weak").fill("96")
    assert drawn_edges(opened) == {(0, 1)}
    assert opened.page.locator("#weak-field").inner_text().split("\n")[0].startswith("Probability at least")
    assert "0.96: 1 of 3 edges" in opened.page.locator("#weak-text").inner_text()


def test_the_table_and_the_panel_tell_probabilities(open_page):
    opened = open_page(sure_sample())
    assert opened.page.locator("#edge-table th").filter(has_text="If it is changed").count() == 0
    rows = {tuple(row[:2]): row[2:5] for row in opened.rows("#edge-table")}
    assert rows["x1", "x2"] == ["yes", "0.700", "undecided"]
    assert rows["x0", "x5"] == ["no", "0.400", "undecided"]
    assert "Undecided, with the probability" in opened.page.locator("#details").inner_text()
    opened.page.locator("#edge-table tbody tr").filter(has_text="0.990").click()
    assert "The probability of an edge is 0.990: present." in opened.page.locator("#details").inner_text()
    node(opened, 1).dispatch_event("click")
    values = opened.texts("#details .rung .value")
    assert {"0.990", "0.700"} <= set(values)


def test_frequencies_are_called_so(open_page):
    opened = open_page(sure_sample(method="bootstrap"))
    assert "Frequency at least" in opened.page.locator("#weak-field").inner_text()
    assert "Frequency" in " ".join(opened.texts("#edge-table th"))


def test_a_page_without_probabilities_does_not_speak_of_them(open_page):
    opened = open_page(sample())
    assert opened.page.locator("#line-legend").is_hidden()
    assert "robability" not in opened.page.locator("body").inner_text()


@pytest.mark.parametrize("n_variables", [12, 60])
def test_the_legend_covers_no_variable(open_page, n_variables):
    opened = open_page(sure_sample(n_variables))
    covered = opened.page.evaluate("""() => {
        const boxes = (kind) => [...document.querySelectorAll(kind)].map((e) => e.getBoundingClientRect());
        const entries = boxes(".legend span"), circles = boxes(".node circle");
        const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
        return circles.filter((a) => entries.some((b) => meet(a, b))).length;
    }""")
    assert covered == 0
