"""The page as a file: what it says, what it cannot do, and that it is always the same."""

import base64
import dataclasses
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from cli_runner import run_fixture, table_fixture  # noqa: F401
from ibmap.data.table import EncodedTable, Preparation
from ibmap.data.text import printable
from ibmap.datasets.demo import demo_table
from ibmap.evidence.pairs import PairEvidence
from ibmap.evidence.witness import Witness
from ibmap.evidence.words import probability
from ibmap.graph import MarkovGraph
from ibmap.independence.bayesian import BayesianTest
from ibmap.learners import GSMNOptions, HillClimbingOptions, learn_gsmn, learn_hc
from ibmap.report import page as page_module
from ibmap.report import write_report
from ibmap.report.citation import PAPER_AUTHORS, PAPER_TITLE, SOFTWARE_TITLE, bibtex
from ibmap.report.content import collect_content
from ibmap.report.others import other_networks
from ibmap.report.page import render, safe_json
from ibmap.report.views import raised
from ibmap.result.confidence import Confidence, Structure
from ibmap.result.formats import as_result
from report_samples import NAUGHTY, crowd, naughty, ring, sample

pytestmark = pytest.mark.compiled_only("a page or picture as a whole says nothing new about kernels")


class Elements(HTMLParser):
    """Every element's tag, attributes and own text."""

    def __init__(self, source):
        super().__init__()
        self.found = []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.found.append([tag, dict(attrs), ""])
        self.open = True

    def handle_data(self, data):
        if self.found and self.open:
            self.found[-1][2] += data

    def handle_endtag(self, tag):
        self.open = False

    def all(self, tag):
        return [each for each in self.found if each[0] == tag]


def page_of(result, **options):
    return render(collect_content(result, options.pop("title", "A network"), **options)).decode()


def data_of(source):
    return json.loads(
        next(text for _, attrs, text in Elements(source).all("script") if attrs.get("id") == "data")
    )


def test_the_same_result_gives_the_same_bytes(tmp_path):
    for name in ("a.html", "b.html"):
        write_report(ring(40), tmp_path / name, title="ring")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_a_page_of_many_variables_holds_circles_and_no_order_of_a_matrix():
    source = page_of(as_result(crowd(600)))
    data = data_of(source)
    assert sorted(k for circle in data["circles"] for k in circle["members"]) == list(range(600))
    n_edges = sum(each["count"] for each in data["bridges"])
    assert n_edges + sum(each["edges"] for each in data["circles"]) == crowd(600).n_edges
    assert data["order"] == []
    assert "a circle for each of" in source
    assert source == page_of(as_result(crowd(600)))


def test_a_page_of_few_variables_holds_no_circles():
    assert "circles" not in data_of(page_of(ring(60)))


def test_the_policy_allows_exactly_the_scripts_and_the_style_of_the_page():
    found = Elements(page_of(naughty(), title="</title>"))
    policy = next(attrs["content"] for _, attrs, _ in found.all("meta") if "http-equiv" in attrs)
    scripts = [text for _, attrs, text in found.all("script") if "type" not in attrs]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts]
    assert len(scripts) == 2
    assert re.findall("'sha256-([^']+)'", policy.split("style-src")[0]) == digests
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy


def test_the_page_names_no_address():
    source = page_of(sample()).replace(page_module.find_library(), "")
    assert not re.search(r"https?://|src=|@import|url\(", source)


def test_data_are_read_back_as_they_were():
    variables = data_of(page_of(naughty()))["variables"]
    assert [each["name"] for each in variables] == list(map(printable, NAUGHTY))
    assert variables[0]["states"] == [NAUGHTY[0], NAUGHTY[0] + "!"]


def test_no_text_leaves_its_script_element():
    found = Elements(page_of(naughty(), title="<script>alert(1)</script>"))
    assert len(found.all("script")) == 3
    assert not found.all("img")


def test_json_in_a_page_has_nothing_that_html_reads():
    text = safe_json(["</script>", "<!--", "&", "\u2028", "é"])
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == ["</script>", "<!--", "&", "\u2028", "é"]


def test_every_figure_is_the_library_s():
    result = sample()
    data = data_of(page_of(result))
    shown = {(pair["x"], pair["y"]): (pair["edge"], pair["loss"]) for pair in data["pairs"]}
    assert shown == {(pair.x, pair.y): (pair.is_edge, pair.loss) for pair in result.evidence}
    assert [set(variable["blanket"]) for variable in data["variables"]] == [
        set(result.graph.blanket(k)) for k in range(6)
    ]
    assert data["trace"] == [flip._asdict() for flip in result.trace]
    assert data["startScore"] == result.trace[0].score - result.trace[0].gain


def test_evidence_and_descriptions_are_the_library_s():
    result = learn_hc(demo_table(), HillClimbingOptions())
    data = data_of(page_of(result))
    for pair, known in zip(data["pairs"], result.explanations, strict=True):
        assert (pair["strength"], pair["thin"]) == (known.strength, known.is_thin)
        assert pair["remarks"] == known.remarks()
        for shown, said in zip(pair["statements"], known.statements, strict=True):
            names = [result.graph.names[k] for k in (shown["of"], *shown["given"])]
            assert names == [said.x, *said.given]
            assert shown["log_posterior"] == said.log_posterior
            assert ["rows", f"{said.counts.n_rows:,}"] in shown["facts"]
            assert (
                f"{said.counts.n_seen:,} of {said.counts.n_configurations:,}" in dict(shown["facts"]).values()
            )
    for variable, known in zip(data["variables"], result.descriptions, strict=True):
        assert (variable["entropy"], variable["missing"]) == (known.entropy, known.n_missing)
        assert (variable["small"], variable["thinness"]) == (known.share_in_small_slices, known.thinness)


def test_the_verdicts_of_further_tests_are_shown():
    table = EncodedTable.from_codes([[0, 0], [1, 1]] * 10)
    witness = Witness(table, {"bayesian": BayesianTest(table), "cautious": BayesianTest(table, prior=0.9)})
    graph = MarkovGraph.from_edges(2, [(0, 1)])
    pair = PairEvidence(0, 1, True, witness.loss(graph, 0, 1), witness.statements(graph, 0, 1))
    data = data_of(page_of(sample(2, [(0, 1)], evidence=(pair,))))
    facts = dict(data["pairs"][0]["statements"][0]["facts"])
    second = pair.statements[0].verdicts[1]
    assert facts["test"] == "bayesian"
    told = probability(second.log_dependent, second.log_independent)
    assert facts["by the cautious test"] == raised(told)


def test_powers_of_ten_are_raised():
    assert raised("10^42 times less probable") == "10⁴² times less probable"
    assert raised("1 - 3.0e-12") == "1 − 3.0 × 10⁻¹²"


def test_a_table_adds_the_evidence_that_a_result_lacks(tmp_path):
    table = demo_table()
    result = learn_gsmn(table, GSMNOptions())
    write_report(result, tmp_path / "page.html", table=table)
    data = data_of((tmp_path / "page.html").read_text())
    full = result.with_evidence(table)
    assert [pair["loss"] for pair in data["pairs"]] == [pair.loss for pair in full.evidence]


def test_blankets_are_listed_strongest_first():
    data = data_of(page_of(sample(4, [(0, 1), (0, 2), (0, 3)], losses=[1.0, 3.0, 2.0])))
    assert data["variables"][0]["blanket"] == [2, 3, 1]


def test_an_edge_without_evidence_is_still_an_edge():
    result = sample(evidence=(), score=None, trace=(), n_ascents=None, stopped="finished")
    source = page_of(result)
    assert [(pair["x"], pair["y"], pair["loss"]) for pair in data_of(source)["pairs"]] == [
        (*edge, None) for edge in result.graph.edges
    ]
    assert "How much each edge matters" in source


def test_a_bare_graph_has_a_page_too(tmp_path):
    write_report(MarkovGraph.from_edges(3, [(0, 1)]), tmp_path / "page.html")
    data = data_of((tmp_path / "page.html").read_text())
    assert [variable["n_states"] for variable in data["variables"]] == [None] * 3


def test_a_network_without_variables_or_edges_has_a_page():
    assert data_of(page_of(sample(1, [])))["pairs"] == []
    assert data_of(page_of(sample(0, [])))["variables"] == []


def test_what_deserves_a_second_look_is_said():
    table = EncodedTable.from_codes([[0, 1]])
    prepared = EncodedTable(
        table.codes, table.cardinalities, table.names, table.labels, table.weights,
        Preparation(1, dropped_columns=("id <b>",)),
    )  # fmt: skip
    result = sample(stopped="max_seconds", losses=[0.01, 5.0, 5.0])
    source = page_of(result, table=prepared)
    for text in ("cut short", "max_seconds", "1 of the 3 edges", "7 of 107 rows", "id &lt;b&gt;"):
        assert text in source
    assert "second look" not in page_of(sample(provenance=_clean(result)))


def _clean(result):
    from dataclasses import replace

    return replace(result.provenance, n_rows_dropped=0)


def test_the_citation_is_that_of_the_project():
    path = Path(__file__).parents[2] / "CITATION.cff"
    text = path.read_text(encoding="utf-8")
    for fact in (PAPER_TITLE, SOFTWARE_TITLE, *(name for author in PAPER_AUTHORS for name in author)):
        assert fact in text
        assert fact in bibtex("0.1.0")


def test_learn_writes_the_page_it_is_asked_for(run, table, tmp_path):
    found = run("learn", table, "--report", tmp_path / "page.html")
    assert found.code == 0
    assert "page.html" in found.err
    data = data_of((tmp_path / "page.html").read_text())
    assert [variable["name"] for variable in data["variables"]] == ["sky", "game", "die"]


def test_report_makes_the_page_of_a_network_file(run, table, tmp_path):
    run("learn", table, "--output", tmp_path / "net.json", "--report", tmp_path / "a.html")
    found = run("report", tmp_path / "net.json", tmp_path / "b.html", "--title", table.name)
    assert found.code == 0
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


@pytest.mark.parametrize("page", ["page.txt", "nowhere/page.html"])
def test_a_page_that_cannot_be_written_is_refused_before_any_work(run, tmp_path, page):
    found = run("learn", tmp_path / "no-such-table.csv", "--report", tmp_path / page)
    assert found.code == 2
    assert "cannot write" in found.err
    assert "no-such-table" not in found.err


def test_without_the_library_the_user_hears_what_to_install(run, table, tmp_path, monkeypatch):
    monkeypatch.setattr(page_module, "LIBRARY", ("no_such_package", "d3.js"))
    page_module.find_library.cache_clear()
    found = run("learn", table, "--report", tmp_path / "page.html")
    page_module.find_library.cache_clear()
    assert found.code == 2
    assert "ibmap[report]" in found.err


def told(result, structures, sizes=()):
    half = np.full((result.graph.n_variables,) * 2, 0.5)
    sure = Confidence(result.graph.names, half, "exact", structures=structures, sizes=sizes)
    return other_networks(dataclasses.replace(result, confidence=sure))


def test_other_probable_networks_are_told_by_what_differs():
    result = ring(5)
    edges = result.graph.edges
    structures = (Structure(0.6, edges), Structure(0.3, (*edges[1:], (1, 3))), Structure(0.001, edges[2:]))
    about, rows = told(result, structures, ((4, 0.01), (5, 0.9), (6, 0.09)))
    first, added = (" — ".join(result.graph.names[k] for k in pair) for pair in (edges[0], (1, 3)))
    assert rows == (("0.300", "4", f"with {added}; without {first}"),)
    assert "a probability of 0.600" in about
    assert "the number of edges is 5 to 6" in about
    source = page_of(dataclasses.replace(result, confidence=None))
    assert '<section id="others" aria-labelledby="others-title" hidden>' in source


def test_where_no_network_is_probable_the_page_says_so():
    result = ring(5)
    about, rows = told(result, (Structure(0.002, result.graph.edges), Structure(0.001, ())))
    assert not rows
    assert "single pairs" in about
    assert other_networks(result) == ("", ())
