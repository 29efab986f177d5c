"""Models in files and in other packages."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap.errors import FileFormatError, ImpossibleEvidenceError, InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.model import Factor, MarkovNetwork
from ibmap.model.uai import parse_uai, uai_text
from model.test_model import models, parts, possible
from model.test_model_sampling import triangle
from oracles import naive_model as naive

CLOSE = {"rel": 1e-8, "abs": 1e-8}


def same(one, other):
    """Whether two models are equal to the last bit."""
    assert one.graph == other.graph and one.states == other.states
    assert one.report == other.report and one.bin_edges == other.bin_edges
    for a, b in zip(one.factors, other.factors, strict=True):
        assert a.variables == b.variables and a.log_values.tobytes() == b.log_values.tobytes()


@given(models(zeros=True))
def test_json_round_trips_exactly(tmp_path_factory, model):
    path = tmp_path_factory.mktemp("model") / "model.json"
    model.save(path)
    same(model, MarkovNetwork.load(path))


def test_fields_that_a_later_version_adds_are_left_aside(tmp_path):
    path, model = tmp_path / "m.json", MarkovNetwork.fit([[0, 1], [1, 0]], [[0, 1], [1, 0]])
    model.save(path)
    content = json.loads(path.read_text()) | {"later": 1}
    content["variables"][0] |= {"later": []}
    content["factors"][0] |= {"later": "x"}
    path.write_text(json.dumps(content))
    same(model, MarkovNetwork.load(path))


def test_fitted_models_round_trip_with_report_bins_and_gaps(tmp_path):
    rng = np.random.default_rng(0)
    rows = [[float(x), "é}, {" if x > 0.5 else 'q"', None if x < 0.1 else int(x * 3)] for x in rng.random(60)]
    graph = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    model = MarkovNetwork.fit(rows, graph, bins={"x0": 3}, missing="state", prior_strength="validate")
    model.save(tmp_path / "m.json")
    again = MarkovNetwork.load(tmp_path / "m.json")
    same(model, again)
    assert again.log_likelihood(rows).tolist() == model.log_likelihood(rows).tolist()
    assert again.marginals("x1", given={"x0": 0.93}) == again.marginals(
        "x1", given={"x0": model.states[0][-1]}
    )
    assert again.log_likelihood([[5.0, 'q"', 1]])[0] == again.log_likelihood([[0.99, 'q"', 1]])[0]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda c: c.update(format="ibmap-network"), "without parameters"),
        (lambda c: c.update(format_version=9), "format version 9"),
        (lambda c: c.pop("factors"), "damaged"),
        (lambda c: c["factors"][0].update(variables=[0, 99]), "damaged"),
        (lambda c: c["factors"][0]["log_values"].pop(), "damaged"),
        (lambda c: c["factors"][0]["log_values"].__setitem__(0, "x"), "damaged"),
        (lambda c: c["variables"][0].update(name=3), "damaged"),
        (lambda c: c["report"].update(converged=1), r"report\.converged"),
        (lambda c: c["variables"][0].update(states=[]), r"variables\[0\]\.states"),
        (lambda c: c["variables"][0].update(states=[[1], 2]), "states"),
        (lambda c: c["variables"][0].update(bin_edges=[2.0, 1.0, 0.0]), "bin_edges"),
        (lambda c: c["factors"][0].update(log_values=[None] * 4), "zero everywhere"),
        (lambda c: c["factors"][0].update(log_values=[10**400] * 4), "log_values"),
    ],
)
def test_damaged_files_are_refused(tmp_path, damage, message):
    path = tmp_path / "m.json"
    MarkovNetwork.fit([[0, 1], [1, 0]], [[0, 1], [1, 0]]).save(path)
    content = json.loads(path.read_text())
    damage(content)
    path.write_text(json.dumps(content))
    with pytest.raises(FileFormatError, match=message):
        MarkovNetwork.load(path)
    path.write_text("{")
    with pytest.raises(FileFormatError, match="not JSON"):
        MarkovNetwork.load(path)
    with pytest.raises(FileNotFoundError, match="no file"):
        MarkovNetwork.load(tmp_path / "none.json")


@given(models())
def test_uai_keeps_the_distribution(model):
    again = parse_uai(uai_text(model.potentials))
    rows = np.array(naive.configurations([len(s) for s in model.states]))
    one, other = model.potentials.log_unnormalised(rows), again.log_unnormalised(rows)
    assert other - other.max() == pytest.approx(one - one.max(), **CLOSE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "begins with MARKOV"),
        ("GRAPH 1", "begins with"),
        ("MARKOV", "its end where a number of variables"),
        ("MARKOV 1 2 1 1 0 3 1 1 1", "3 values for the factor"),
        ("MARKOV 1 2 1 1 0 2 1", "its end where a value"),
        ("MARKOV 1 2 1 1 0 2 1 -1", "'-1' where a value"),
        ("MARKOV 1 2 1 1 7 2 1 1", "does not fit"),
        ("MARKOV 1 0 1 1 0 0", "'0' where a number of states"),
        ("MARKOV " + "9" * 5000, "where a number of variables"),
        ("MARKOV 1 2 1 40 " + "0 " * 40 + "1 1", "over 40 variables"),
        ("MARKOV 1 2 1 1 0 2 0 0", "zero everywhere"),
    ],
)
def test_broken_uai_files_are_refused(tmp_path, text, message):
    path = tmp_path / "net.uai"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=message):
        MarkovNetwork.load_uai(path)


def test_uai_files_get_names_on_the_way_in(tmp_path):
    model = triangle()
    model.save_uai(tmp_path / "net.uai")
    again = MarkovNetwork.load_uai(tmp_path / "net.uai", names=model.names, states=model.states)
    assert again.graph == model.graph
    found, wanted = (m.marginals(["x1", "x3"], given={"x0": "yes"}) for m in (again, model))
    assert found == pytest.approx(wanted, **CLOSE)


@given(st.data())
def test_pyagrum_agrees(data):
    model = data.draw(models())
    _, cards = parts(model)
    seen = possible(model, data)
    if seen is None:
        return
    free = [v for v in range(len(cards)) if v not in seen]
    if not free:
        return
    of = data.draw(st.lists(st.sampled_from(free), unique=True, min_size=1, max_size=3))
    found = model.posterior(of, seen, method="pyagrum")
    assert found.method == "pyagrum"
    assert found.probabilities == pytest.approx(model.posterior(of, seen).probabilities, **CLOSE)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pyagrum_reads_our_uai_files(tmp_path):
    import pyagrum

    model = triangle()
    model.save_uai(tmp_path / "net.uai")
    network = pyagrum.loadMRF(str(tmp_path / "net.uai"))
    engine = pyagrum.ShaferShenoyMRFInference(network)
    engine.setEvidence({"1": 2})
    engine.makeInference()
    names = sorted(network.names(), key=network.idFromName)
    for v in (0, 2, 3):
        found = engine.posterior(names[v]).toarray()
        assert found == pytest.approx(model.posterior(v, {1: 3}).probabilities, abs=1e-6)  # it reads 32 bits


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pyagrum_objects_keep_names_and_labels():
    import pyagrum

    network = triangle().to_pyagrum()
    assert network.names() == {"x0", "x1", "x2", "x3"} and network.variable("x0").labels() == ("no", "yes")
    engine = pyagrum.ShaferShenoyMRFInference(network)
    engine.setEvidence({"x0": "yes"})
    engine.makeInference()
    wanted = list(triangle().marginals("x1", given={"x0": "yes"}).values())
    assert engine.posterior("x1").toarray() == pytest.approx(wanted, **CLOSE)


def test_impossible_evidence_is_never_missed():
    logs = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    graph = MarkovGraph.from_edges(3, [(0, 1), (1, 2)])
    model = MarkovNetwork(graph, ((0, 1),) * 3, (Factor((0, 1), logs), Factor((1, 2), np.zeros((2, 2)))))
    with pytest.raises(ImpossibleEvidenceError):
        model.posterior(2, {0: 0, 1: 1})
    with pytest.raises(InvalidOptionError, match="method='exact'"):
        model.posterior(2, {0: 0, 1: 1}, method="pyagrum")


def assert_pgmpy_reads(model, path):
    """Whether pgmpy reads the same network from a UAI file."""
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import UAIReader

    model.save_uai(path)
    found = VariableElimination(UAIReader(str(path)).get_model()).query(["var_1"], show_progress=False)
    found.normalize()
    assert found.values == pytest.approx(model.posterior(1).probabilities, **CLOSE)


@pytest.mark.filterwarnings("ignore")
def test_pgmpy_agrees(tmp_path):
    from pgmpy.inference import VariableElimination

    model = triangle()
    network = model.to_pgmpy()
    assert network.check_model() and set(network.nodes) == set(model.names)
    found = VariableElimination(network).query(["x1", "x3"], evidence={"x0": "yes"}, show_progress=False)
    found.normalize()
    assert_pgmpy_reads(model, tmp_path / "net.uai")
    for (one, three), p in model.marginals(["x1", "x3"], given={"x0": "yes"}).items():
        assert found.get_value(x1=one, x3=three) == pytest.approx(p, **CLOSE)
