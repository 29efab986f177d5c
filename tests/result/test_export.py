"""Every name survives every format, or is refused; a file is whole or absent."""

import csv
import io
import json
import tempfile
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from ibmap.errors import FileFormatError
from ibmap.graph import MarkovGraph
from ibmap.result import formats as export
from ibmap.result.formats.writing import NOT_XML

NASTY = [
    'a "quoted" name',
    "comma, separated",
    "two\nlines",
    "carriage\rreturn",
    "crlf\r\n",
    "<script>alert(1)</script>",
    "&amp;",
    "=1+1",
    "+1",
    "-1",
    "@sum",
    "\ttab",
    "\rcr",
    "'",
    "'=x",
    "''",
    "\U0001f600",
    "שלום",
    "naïve",
    " padded ",
    "back\\slash\\",
    "\\N",
    "",
    "source",
    "[red]x[/red]",
]
letters = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
names_lists = st.lists(st.sampled_from(NASTY) | letters, min_size=1, max_size=6, unique=True)


@st.composite
def named_graphs(draw, names=names_lists):
    chosen = draw(names)
    pairs = [(i, j) for i in range(len(chosen)) for j in range(i)]
    return MarkovGraph.from_edges(len(chosen), [p for p in pairs if draw(st.booleans())], chosen)


def round_trip(network, suffix):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"net{suffix}"
        export.write_network(network, path)
        assert [each.name for each in Path(folder).iterdir()] == [path.name]
        return export.read_network(path)


def named_edges(graph):
    return {frozenset((graph.names[i], graph.names[j])) for i, j in graph.edges}


def text_of(network, suffix):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"net{suffix}"
        export.write_network(network, path)
        return path.read_bytes().decode()


@pytest.fixture(scope="module")
def result():
    rows = [["sun", "play", 1], ["rain", "stay", 1], ["sun", "play", 2], ["rain", "stay", 2]] * 10
    return ibmap.IBMAPHC().fit(ibmap.encode(rows, names=["sky", "=play", "die"])).result_


@given(named_graphs())
def test_matrix_and_json_keep_every_name_in_its_place(graph):
    assert round_trip(graph, ".adjacency.csv") == graph
    assert round_trip(graph, ".json").graph == graph


@given(named_graphs())
def test_an_edge_list_keeps_every_name_and_edge(graph):
    back = round_trip(graph, ".csv")
    assert set(back.names) == set(graph.names)
    assert named_edges(back) == named_edges(graph)


@given(named_graphs())
def test_graphml_keeps_every_name_or_refuses_it_by_name(graph):
    odd = [name for name in graph.names if NOT_XML.search(name)]
    if odd:
        with pytest.raises(FileFormatError, match="which GraphML cannot hold; rename the column") as caught:
            round_trip(graph, ".graphml")
        assert repr(odd[0]) in str(caught.value)
    else:
        assert round_trip(graph, ".graphml") == graph


@given(named_graphs())
def test_no_cell_of_a_csv_file_begins_like_a_formula(graph):
    for suffix in (".csv", ".matrix.csv"):
        for row in csv.reader(io.StringIO(text_of(graph, suffix), newline="")):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)


def dot_labels(text):
    """Read the quoted strings of a DOT file the way Graphviz does."""
    labels, position = [], 0
    while (start := text.find('label="', position)) >= 0:
        k, label = start + len('label="'), ""
        while text[k] != '"':
            pair = text[k : k + 2]
            label += {"\\n": "\n", "\\\\": "\\", '\\"': '"'}[pair] if text[k] == "\\" else text[k]
            k += 2 if text[k] == "\\" else 1
        labels.append(label.replace("&amp;", "&"))
        position = k
    return labels


@given(named_graphs())
def test_dot_shows_every_name_and_nothing_of_it_is_syntax(graph):
    text = text_of(graph, ".dot")
    shown = [
        "".join(f"\\x{ord(c):02x}" if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160) else c for c in name)
        for name in graph.names
    ]
    assert dot_labels(text) == shown
    assert text.count("\n") == 3 + graph.n_variables + graph.n_edges


def test_a_result_comes_back_from_json_exactly(result):
    back = round_trip(result, ".json")
    assert back.to_dict() == result.to_dict()
    assert json.loads(text_of(result, ".json"))["format_version"] == 1


def test_weights_are_written_where_they_are_known(result):
    loss = next(pair.loss for pair in result.evidence if pair.is_edge)
    own = result.relations[0]
    told = f"{own.strength!r},{own.sign},{own.share!r},{own.odds_ratio!r}"
    more = "strength,sign,share,odds_ratio"
    lines = [f"source,target,weight,{more}", f"sky,'=play,{loss!r},{told}", "die,,,,,,"]
    assert text_of(result, ".csv").splitlines() == lines
    lines = [
        "from,to,weight,loss,sign,share,odds_ratio",
        f"sky,'=play,{own.strength!r},{loss!r}{told[told.index(',') :]}",
    ]
    assert text_of(result, ".edges.csv").splitlines() == lines
    graph = nx.parse_graphml(text_of(result, ".graphml"))
    assert graph.edges["sky", "=play"]["weight"] == loss
    assert graph.edges["sky", "=play"]["strength"] == own.strength
    assert graph.nodes["sky"]["explained"] == result.predictability[0].explained
    assert graph.nodes["=play"]["label"] == "=play"
    assert f'n0 -- n1 [loss="{loss!r}", penwidth=4.00];' in text_of(result, ".gv")


def test_a_graph_without_weights_is_written_without(result):
    assert text_of(result.graph, ".csv").splitlines()[1] == "sky,'=play,"
    assert "weight" not in text_of(result.graph, ".graphml")
    assert "  n0 -- n1;" in text_of(result.graph, ".dot")


def test_edges_for_r_are_read_back(result):
    found = round_trip(result, ".edges.csv")
    assert (found.names, found.edges) == (("sky", "=play"), ((0, 1),))


def test_the_extension_may_be_in_capitals(result):
    assert round_trip(result.graph, ".ADJACENCY.CSV") == result.graph


@pytest.mark.parametrize("name", ["net.txt", "net", "net.xlsx"])
def test_an_unknown_extension_is_refused_with_the_known_ones(tmp_path, result, name):
    with pytest.raises(FileFormatError, match=r"must end in one of \.json, \.graphml"):
        export.write_network(result, tmp_path / name)
    with pytest.raises(FileFormatError, match="cannot read a network"):
        export.read_network(tmp_path / name)


def test_dot_is_not_read(tmp_path):
    with pytest.raises(FileFormatError, match="DOT is written for drawing only"):
        export.read_network(tmp_path / "net.dot")


def test_a_lone_surrogate_is_refused_by_name(tmp_path):
    with pytest.raises(FileFormatError, match="not valid Unicode"):
        export.write_network(MarkovGraph.empty(2, ["a", "\ud800"]), tmp_path / "net.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", "", "this is not JSON"),
        ("a.json", "[]", "not a network file"),
        ("a.json", '{"format": "ibmap-network", "format_version": 99}', "format version 99"),
        ("a.json", '{"format": "ibmap-network", "format_version": 1}', "damaged"),
        ("a.graphml", "", "not GraphML"),
        ("a.graphml", "<a><b></a>", "not GraphML"),
        ("a.csv", "", "not a network"),
        ("a.csv", "x,y\n1,2\n", "not a network"),
        ("a.csv", "source,target\na\n", "record 2 has 1 values"),
        ("a.csv", "source,target\na,a\n", "not an edge between two"),
        ("a.csv", ",a,b\na,0,1\nb,0,0\n", "not symmetric"),
        ("a.csv", ",a,b\na,0,7\nb,7,0\n", "each 0 or 1"),
        ("a.csv", ",a,b\na,0\nb,1,0\n", "must have 2 values"),
        ("a.csv", ",a,b\nb,0,1\na,1,0\n", "first column"),
        ("a.csv", ",a,b\na,0,1\n", "first column"),
        ("a.csv", ",a,a\na,0,1\na,1,0\n", "different names"),
        ("a.csv", b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_a_file_that_is_no_network_is_refused_by_name(tmp_path, name, content, reason):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FileFormatError, match=reason) as caught:
        export.read_network(path)
    assert str(path) in str(caught.value)


def test_a_directed_graph_is_refused(tmp_path):
    nx.write_graphml_xml(nx.DiGraph([("a", "b")]), tmp_path / "a.graphml")
    with pytest.raises(FileFormatError, match="directed"):
        export.read_network(tmp_path / "a.graphml")


def test_a_missing_file_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        export.read_network(tmp_path / "none.json")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        (tmp_path / "folder.json").mkdir()
        export.read_network(tmp_path / "folder.json")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.json", "{}", True),
        ("a.graphml", "", True),
        ("a.csv", "Source,Target,weight\n", True),
        ("a.csv", ",a,b\n", True),
        ("a.csv", "source,target,weight,age\n", False),
        ("a.csv", "age,sex\n", False),
        ("a.csv", "", False),
        ("a.tsv", "", False),
    ],
)
def test_networks_are_told_from_tables(tmp_path, name, content, expected):
    (tmp_path / name).write_text(content)
    assert export.is_network_file(tmp_path / name) is expected
