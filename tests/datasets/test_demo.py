"""The demonstration is always the same, finds the truth, and leaves files to go on with."""

import importlib.util
import json

import pytest

import ibmap
from ibmap.cli import main
from ibmap.cli.picture import _spanning_trees
from ibmap.datasets import demo
from ibmap.graph import MarkovGraph
from ibmap.metrics import compare_edges
from ibmap.report import page

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")


def test_the_table_is_always_the_same():
    table = demo.demo_table()
    assert (table.n_samples, table.n_variables) == (demo.N_ROWS, len(demo.STATES))
    demo.demo_table.cache_clear()
    assert demo.demo_table().fingerprint == table.fingerprint
    assert table.codes[:3].tolist() == [demo.demo_table().codes[k].tolist() for k in range(3)]


def test_every_state_is_common_enough_to_learn_from():
    table = demo.demo_table()
    for k, labels in enumerate(table.labels):
        counts = [int((table.codes[:, k] == state).sum()) for state in range(len(labels))]
        assert min(counts) >= 200, table.names[k]


def test_the_truth_is_found_and_improves_on_gsmn():
    table, truth = demo.demo_table(), demo.demo_network().graph
    climbed = compare_edges(ibmap.IBMAPHC().fit(table).result_, truth)
    baseline = compare_edges(ibmap.GSMN().fit(table).result_, truth)
    assert climbed.hamming <= 1
    assert climbed.hamming <= baseline.hamming


def test_the_rows_are_the_table():
    again = ibmap.encode(demo.demo_rows()[1:], names=demo.demo_rows()[0])
    assert again.names == demo.demo_table().names
    table = demo.demo_table()
    for k in range(table.n_variables):
        ours = [again.labels[k][code] for code in again.codes[:, k]]
        assert ours == [table.labels[k][code] for code in table.codes[:, k]]


def run(folder, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["demo", "--output", str(folder)])
    assert caught.value.code == 0
    return capsys.readouterr()


def test_demo_shows_the_network_and_writes_it(tmp_path, capsys):
    found = run(tmp_path / "new" / "folder", capsys)
    for part in ("health survey", "blood pressure", "The learned network", "Compared with the true network"):
        assert part in found.out
    folder = tmp_path / "new" / "folder"
    assert json.loads((folder / "truth.json").read_text())["provenance"]["algorithm"] == "given"
    assert json.loads((folder / "network.json").read_text())["provenance"]["algorithm"] == "ibmap"
    assert (folder / "network.png").read_bytes().startswith(b"\x89PNG")
    assert "<title>A health survey</title>" in (folder / "page.html").read_text()
    assert (folder / "survey.csv").read_text().startswith("age,exercise,")
    assert "try next: ibmap learn" in found.err


def test_demo_needs_no_extras(tmp_path, capsys, monkeypatch):
    known = importlib.util.find_spec
    absent = ("matplotlib", "mpld3")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in absent else known(name))
    monkeypatch.setattr(page, "find_spec", lambda name: None)
    page.find_library.cache_clear()
    found = run(tmp_path, capsys)
    page.find_library.cache_clear()
    assert "pip install 'ibmap[plot]'" in found.err
    assert "pip install 'ibmap[report]'" in found.err
    assert not (tmp_path / "network.png").exists()
    assert not (tmp_path / "page.html").exists()


def test_demo_cannot_write_over_a_file(tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    with pytest.raises(SystemExit) as caught:
        main(["demo", "--output", str(tmp_path / "taken")])
    assert caught.value.code == 2
    assert "taken" in capsys.readouterr().err


def test_the_drawing_has_every_edge_once():
    graph = MarkovGraph.from_edges(6, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 0), (4, 5)])
    edges = []
    for _, children, others in _spanning_trees(graph):
        edges += [frozenset(pair) for pair in children]
        edges += [frozenset((x, y)) for x, also in others.items() for y in also]
    assert sorted(map(sorted, edges)) == sorted(map(list, graph.edges))
