"""The network file: versioned, exact, and refused with a reason when damaged."""

import copy
import dataclasses
import json
import math

import numpy as np
import pytest

import ibmap
from ibmap import IBMAP, IBMAPHC, Confidence, MarkovGraph, SearchResult
from ibmap.data.table import EncodedTable
from ibmap.errors import FileFormatError
from ibmap.evidence.pairs import collect_evidence
from ibmap.result.provenance import Provenance, provenance_of
from ibmap.search.hill_climbing import Flip

LABELS = (("no", "yes", 'ñ — "quoted"\n'), (0, 1, -(2**70)), (0.1, 1e-300, 2.0), (False, True, None))


def example():
    """A result with every field filled and labels of every kind JSON has."""
    graph = MarkovGraph.from_edges(4, [(0, 1), (1, 3)], ["smokes", "years", "dose", "größe"])
    provenance = Provenance(
        version="0.1.0",
        algorithm="hc",
        options={"prior": 0.1, "start": "empty", "bins": None, "max_ascents": 3},
        fingerprint="0123456789abcdef",
        n_samples=12,
        n_rows_dropped=2,
        seconds=0.1 + 0.2,
        warnings=("constant columns: 'dose'",),
    )
    gains = np.full((4, 4), -math.pi)
    return SearchResult(
        graph=graph,
        states=LABELS,
        provenance=provenance,
        n_tests=17,
        score=-1 / 3,
        n_ascents=2,
        n_iterations=3,
        stopped="optimum",
        trace=(Flip(0, 1, True, 0.1, -1.5), Flip(1, 3, True, 1 / 7, -1 / 3)),
        evidence=collect_evidence(graph, gains),
    )


def damaged(**changes):
    """The content of a file with some entries changed, or left out where the change is `...`."""
    content = json.loads(example().to_json())
    for key, value in changes.items():
        if value is ...:
            del content[key]
        else:
            content[key] = value
    return content


def test_every_field_survives_exactly():
    result = example()
    again = SearchResult.from_json(result.to_json())
    for field in dataclasses.fields(SearchResult):
        assert getattr(again, field.name) == getattr(result, field.name), field.name


def test_labels_of_every_kind_survive_with_their_type():
    again = SearchResult.from_json(example().to_json())
    assert again.states == LABELS
    assert [[type(label) for label in labels] for labels in again.states] == [
        [type(label) for label in labels] for labels in LABELS
    ]


def test_a_file_holds_what_the_text_does(tmp_path):
    path = tmp_path / "net.json"
    text = example().to_json(path)
    assert path.read_text(encoding="utf-8") == text
    assert SearchResult.from_json(path).to_json() == text
    assert SearchResult.from_json(str(path)).to_json() == text
    assert [each.name for each in tmp_path.iterdir()] == ["net.json"]


def test_the_file_says_what_it_is_and_where_it_comes_from():
    learner = IBMAPHC(prior=0.25).fit([["a", "b"], ["c", "d"]] * 10)
    content = json.loads(learner.result_.to_json())
    assert content["format"] == "ibmap-network"
    assert content["format_version"] == 1
    provenance = content["provenance"]
    assert provenance["version"] == ibmap.__version__
    assert provenance["algorithm"] == "hc"
    assert provenance["n_samples"] == 20
    assert provenance["seconds"] > 0
    assert provenance["options"]["prior"] == 0.25
    assert provenance["options"]["start"] == "gsmn"
    assert provenance["fingerprint"] == ibmap.encode([["a", "b"], ["c", "d"]] * 10).fingerprint
    assert [(each["name"], each["states"]) for each in content["variables"]] == [
        ("x0", ["a", "c"]),
        ("x1", ["b", "d"]),
    ]
    assert content["variables"][0]["description"]["n_seen"] == 2
    assert content["edges"] == [[0, 1]]


def test_options_of_any_kind_are_recorded_in_plain_words():
    table = EncodedTable.from_codes([[0, 1], [1, 0]])
    options = {"a": np.float64(0.5), "b": (1, np.int64(2)), "c": None, "d": print}
    recorded = provenance_of(table, "hc", options, 1.0).options
    assert {key: recorded[key] for key in "abc"} == {"a": 0.5, "b": [1, 2], "c": None}
    assert json.loads(json.dumps(recorded)) == recorded


def test_numbers_json_does_not_have_are_not_written():
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="JSON"):
            dataclasses.replace(example(), score=bad).to_json()


def test_nothing_is_written_when_writing_fails(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        dataclasses.replace(example(), score=math.nan).to_json(tmp_path / "net.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["{", "{'a': 1}", '{"format": "ibmap-network",', "{} {}"])
def test_what_is_not_json_is_refused(text):
    with pytest.raises(FileFormatError, match="not JSON"):
        SearchResult.from_json(text)


@pytest.mark.parametrize("content", [[], "text", None, {}, {"format": "graphml"}, {"format_version": 1}])
def test_what_is_not_a_network_is_refused(content):
    with pytest.raises(FileFormatError, match="not a network file"):
        SearchResult.from_dict(content)


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_an_unknown_version_is_refused_by_number(version):
    with pytest.raises(FileFormatError, match="format version") as caught:
        SearchResult.from_dict(damaged(format_version=version))
    assert repr(version) in str(caught.value)


# Within the version: files of earlier versions lack them.
ADDED = ("bound", "n_nodes", "test_cost", "start", "disputed", "confidence", "relations")


def test_a_file_without_the_fields_added_since_is_read():
    content = {key: value for key, value in example().to_dict().items() if key not in ADDED}
    assert SearchResult.from_dict(content).bound is None
    assert SearchResult.from_dict(content | {"bound": -1.5, "n_nodes": 7}).n_nodes == 7
    with pytest.raises(FileFormatError, match="bound"):
        SearchResult.from_dict(content | {"bound": "high"})


def test_fields_that_a_later_version_adds_are_left_aside():
    content = json.loads(example().to_json())
    content |= {"later": {"deep": [1]}}
    content["provenance"] |= {"later": 1}
    content["variables"][0] |= {"later": None}
    assert SearchResult.from_dict(content).to_json() == example().to_json()


@pytest.mark.parametrize(
    "key",
    [
        key
        for key in json.loads(example().to_json())
        if not key.startswith(("format", "edge_names")) and key not in ADDED
    ],
)
def test_a_missing_entry_is_named(key):
    with pytest.raises(FileFormatError, match=key):
        SearchResult.from_dict(damaged(**{key: ...}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"edges": [[0, 9]]}, "9"),
        ({"edges": [[0, 0]]}, "0"),
        ({"edges": [[0, 1, 2]]}, "damaged"),
        ({"edges": [["a", "b"]]}, "damaged"),
        ({"edges": 3}, "damaged"),
        ({"variables": [{"name": "a"}], "edges": []}, "states"),
        ({"variables": [{"name": "a", "states": []}, {"name": "a", "states": []}], "edges": []}, "names"),
        ({"variables": 3}, "damaged"),
        ({"variables": ["a", "b", "c", "d"]}, "damaged"),
        ({"trace": [{"x": 0}]}, "damaged"),
        ({"trace": [{"x": 0, "y": 1, "added": 1, "gain": 1.0, "score": 0.0}]}, r"trace\[0\]\.added"),
        ({"disputed": [[0, 4]]}, "no pair"),
        ({"disputed": None}, "disputed"),
        ({"n_tests": True}, "n_tests"),
        ({"evidence": [{"x": 0}]}, "damaged"),
        ({"provenance": {}}, "version"),
        ({"provenance": {**example().to_dict()["provenance"], "options": None}}, "options"),
        ({"provenance": {**example().to_dict()["provenance"], "n_samples": 2**64}}, "n_samples"),
        ({"provenance": None}, "damaged"),
    ],
    ids=str,
)
def test_a_damaged_entry_is_refused_with_the_problem(change, message):
    with pytest.raises(FileFormatError, match=message):
        SearchResult.from_dict(damaged(**change))


def test_an_unreadable_file_is_named(tmp_path):
    with pytest.raises(FileFormatError, match="no-such-file"):
        SearchResult.from_json(tmp_path / "no-such-file.json")
    with pytest.raises(FileFormatError, match="cannot read"):
        SearchResult.from_json(tmp_path)
    binary = tmp_path / "binary.json"
    binary.write_bytes(b"\xff\xfe{}")
    with pytest.raises(FileFormatError, match="binary"):
        SearchResult.from_json(binary)
    empty = tmp_path / "empty.json"
    empty.write_text("")
    with pytest.raises(FileFormatError, match="not JSON"):
        SearchResult.from_json(empty)


def test_reading_does_not_change_what_is_read():
    content = json.loads(example().to_json())
    before = copy.deepcopy(content)
    SearchResult.from_dict(content)
    assert content == before


def test_evidence_lists_edges_from_strong_to_weak_then_the_nearest_missing():
    graph = MarkovGraph.from_edges(4, [(0, 1), (1, 2)])
    gains = -np.array([[0, 1, 5, 3], [1, 0, 2, 9], [5, 2, 0, 4], [3, 9, 4, 0.0]])
    found = collect_evidence(graph, gains, n_nearest=2)
    assert [(pair.x, pair.y, pair.is_edge, pair.loss) for pair in found] == [
        (1, 2, True, 2.0),
        (0, 1, True, 1.0),
        (0, 3, False, 3.0),
        (2, 3, False, 4.0),
    ]


def test_a_result_introduces_itself():
    assert repr(example()) == "SearchResult(hc: 4 variables, 2 edges, score -0.333, 17 tests)"
    assert "no score" in repr(dataclasses.replace(example(), score=None))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("score", "x"),
        ("score", True),
        ("score", math.nan),
        ("n_tests", 1.5),
        ("n_ascents", "2"),
        ("stopped", None),
    ],
)
def test_values_of_the_wrong_type_are_refused_by_name(key, value):
    content = ibmap.IBMAPHC().fit([[0, 0], [1, 1]] * 10).result_.to_dict()
    with pytest.raises(FileFormatError, match=key):
        SearchResult.from_dict({**content, key: value})


def test_pairs_out_of_range_are_refused():
    content = ibmap.IBMAPHC().fit([[0, 0], [1, 1]] * 10).result_.to_dict()
    content["evidence"][0]["y"] = 7
    with pytest.raises(FileFormatError, match="pair"):
        SearchResult.from_dict(content)


def sure(n=3, method="sampled"):
    probabilities = np.full((n, n), 0.4)
    np.fill_diagonal(probabilities, 0.0)
    probabilities[0, 1] = probabilities[1, 0] = 0.97
    names = tuple(f"x{k}" for k in range(n))
    return Confidence(names, probabilities, method, None, None, {"stopped": "precise"})


def with_confidence(method="sampled"):
    rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10 + [[0, 1, 0]]
    return dataclasses.replace(IBMAP().fit(rows).result_, confidence=sure(method=method))


def test_a_result_keeps_how_sure_its_edges_are():
    result = with_confidence()
    again = SearchResult.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    assert (again.confidence.edge_probabilities == result.confidence.edge_probabilities).all()
    told = json.loads(result.to_json())["confidence"]
    assert told["edges"] == [{"probability": 0.97, "verdict": "present"}]
    assert told["counts"] == {"present": 1, "undecided": 2, "absent": 0}


def test_a_file_without_probabilities_is_read_as_before():
    content = json.loads(with_confidence().to_json())
    del content["confidence"]
    assert SearchResult.from_dict(content).confidence is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("edge_probabilities", [0.5]),
        ("edge_probabilities", [0.5, 2.0, 0.5]),
        ("not_mixed", [7]),
        ("method", "guessed"),
        ("format_version", 99),
    ],
)
def test_probabilities_that_cannot_be_are_refused(field, value):
    content = json.loads(with_confidence().to_json())
    content["confidence"][field] = value
    with pytest.raises(FileFormatError, match=r"damaged|version"):
        SearchResult.from_dict(content)


def test_explanations_tell_the_probability_and_what_would_settle_it():
    result = with_confidence()
    assert "The probability of an edge is 0.970: present." in str(result.explain("x0", "x1"))
    undecided = result.explain("x0", "x2")
    assert undecided.sureness.rows > 40
    assert "undecided. About " in str(undecided) and "rows in all would settle it" in str(undecided)
    assert undecided.to_dict()["probability"] == 0.4
    assert undecided.to_dict()["rows_to_settle"] == undecided.sureness.rows
    assert "probability 0.970 (present)" in str(result.explain_variable("x0"))


def test_the_frequencies_of_a_bootstrap_are_not_called_probabilities():
    told = with_confidence("bootstrap").explain("x0", "x1")
    assert "Resampled rows give the edge in 0.970 of all fits: present." in str(told)
    assert "frequency" in told.to_dict() and "probability" not in told.to_dict()
