"""The page of many variables in a real browser: an overview, what a search and a click show, cut tables."""

import re

import numpy as np
import pytest

from browser import browser_fixture, open_fixture  # noqa: F401
from ibmap.data.text import printable
from ibmap.graph.layout.overview import overview
from report_samples import NAUGHTY, crowd

pytestmark = pytest.mark.compiled_only("a page or picture as a whole says nothing new about kernels")


@pytest.fixture(name="opened")
def opened_fixture(open_page):
    return open_page(crowd())


def shown(opened):
    return opened.page.locator("#scene-text").inner_text()


def labels(opened):
    return set(opened.texts(".node text"))


def test_it_begins_with_a_circle_for_each_group(opened):
    graph = crowd()
    many = overview(graph.adjacency)
    assert opened.texts(".node text") == [
        " ".join(many.label(k, graph.names)) for k in range(len(many.circles))
    ]
    assert opened.page.locator("line.bridge:visible").count() == np.count_nonzero(np.triu(many.between, 1))
    assert shown(opened).startswith(f"600 variables in {len(many.circles)} circles")
    radii = opened.page.eval_on_selector_all(".node circle", "all => all.map((c) => c.r.baseVal.value ** 2)")
    sizes = [len(circle) for circle in many.circles]
    assert [r / radii[0] for r in radii] == pytest.approx([n / sizes[0] for n in sizes], rel=0.01)
    assert opened.page.locator("#overview").is_disabled()
    assert opened.page.locator("#matrix-box").is_hidden()
    assert "A matrix of so many variables would show nothing" in opened.page.locator("#matrix").inner_text()


def test_search_shows_a_variable_with_its_neighbours_and_theirs(opened):
    graph = crowd()
    opened.page.locator("#find").fill("x137")
    near = {137, *graph.blanket(137)}
    near |= {j for k in graph.blanket(137) for j in graph.blanket(k)}
    assert labels(opened) == {f"x{k}" for k in near}
    n_edges = sum(x in near and y in near for x, y in graph.edges)
    assert opened.page.locator("line.edge:visible").count() == n_edges
    assert re.match(rf"x137 with \d neighbours and \d+ of their neighbours: {n_edges} edges", shown(opened))
    assert opened.texts("#details h3") == ["x137"]
    opened.page.locator("#overview").click()
    assert opened.page.locator("#find").input_value() == ""
    assert shown(opened).startswith("600 variables")


def test_at_most_twenty_names_are_offered_those_that_begin_so_first(opened):
    opened.page.locator("#find").fill("x5")
    offered = opened.page.eval_on_selector_all("#names option", "all => all.map((o) => o.value)")
    assert offered[:2] == ["x5", "x50"]
    assert len(offered) == 20


def test_a_click_on_a_circle_opens_it_and_the_button_goes_back(opened):
    graph = crowd()
    circle = overview(graph.adjacency).circles[0]
    opened.page.locator(".node circle").first.click()
    assert labels(opened) == {graph.names[k] for k in circle}
    assert shown(opened).startswith(f"Group of {graph.names[circle[0]]}: {len(circle)} variables, ")
    opened.page.locator("#overview").click()
    assert shown(opened).startswith("600 variables")


def test_circles_open_by_the_keyboard_and_escape_goes_back(opened):
    opened.page.locator(".node[tabindex='0']").focus()
    opened.page.keyboard.press("Enter")
    assert shown(opened).startswith("Group of ")
    opened.page.keyboard.press("Enter")
    assert " with " in shown(opened)
    opened.page.keyboard.press("Escape")
    assert shown(opened).startswith("Group of ")
    opened.page.keyboard.press("Escape")
    assert shown(opened).startswith("600 variables")


def test_a_row_of_a_table_shows_the_surroundings_of_its_pair(opened):
    row = opened.page.locator("#edge-table tbody tr").nth(50)
    ends = set(row.locator("td").all_inner_texts()[:2])
    row.click()
    assert ends <= labels(opened)
    assert opened.page.locator("line.edge.chosen").count() == 1


def test_tables_show_the_first_rows_and_say_how_many_more(opened):
    n_edges = crowd().n_edges
    rows = opened.rows("#edge-table")
    assert len(rows) == 201
    assert rows[-1] == [f"and {n_edges - 200} more: a filter narrows them."]
    assert opened.rows("#variable-table")[-1] == ["and 400 more: a filter narrows them."]
    opened.page.locator("#filter-variables").fill("x59")
    assert len(opened.rows("#variable-table")) == 11


@pytest.mark.parametrize("width", [390, 1280])
def test_circles_fit_the_screen(open_page, width):
    opened = open_page(crowd(), viewport={"width": width, "height": 844})
    assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert opened.page.evaluate("""() => {
        const box = document.getElementById("drawing").getBoundingClientRect();
        const circles = [...document.querySelectorAll(".node circle")].map((c) => c.getBoundingClientRect());
        return circles.every((c) => c.left >= box.left - 1 && c.right <= box.right + 1
            && c.top >= box.top - 1 && c.bottom <= box.bottom + 1);
    }""")


def test_a_page_of_few_variables_speaks_of_no_overview(open_page):
    opened = open_page(crowd(100))
    assert opened.page.locator("#overview").is_hidden()
    assert opened.page.locator(".node").count() == 100
    assert len(opened.rows("#variable-table")) == 100


def test_untrusted_names_are_text_in_every_view(open_page):
    names = [*NAUGHTY, *(f"{name}{k}" for k in range(40) for name in NAUGHTY[:14])][:500]
    opened = open_page(crowd(500, names))
    page = opened.page
    page.locator(".node").first.dispatch_event("pointermove")
    page.locator(".node").first.dispatch_event("click")
    for name in NAUGHTY[:10]:
        page.locator("#find").fill(printable(name))
        assert page.locator("#details h3").text_content() == printable(name)
        assert shown(opened).startswith(printable(name).strip()[:9])
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
