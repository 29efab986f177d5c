"""How sure each edge is, on the command line: asked for, left out, written, read back."""

import csv
import json
import signal
import subprocess
import sys
import time

import networkx as nx
import numpy as np
import pytest

from cli_runner import process, run_fixture, table_fixture  # noqa: F401 - fixtures
from ibmap.confidence.learned import QUICK_STATES
from ibmap.result.formats import read_network
from ibmap.simulate import random_network

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")


@pytest.fixture(name="survey", scope="module")
def survey_fixture(tmp_path_factory):
    """Twelve variables and 150 rows: some pairs are sure, others are not."""
    codes = random_network(12, 2, random_state=1, signs="random").sample(150, random_state=2)
    path = tmp_path_factory.mktemp("survey") / "survey.csv"
    np.savetxt(path, codes, "%d", ",", header=",".join(f"v{k}" for k in range(12)), comments="")
    return path


def told(path):
    """A network file without what the clock says."""
    content = json.loads(path.read_text())
    del content["provenance"]["seconds"], content["confidence"]["diagnostics"]["seconds"]
    return content


def test_the_recommended_learner_tells_how_sure_it_is(run, survey, tmp_path):
    net = tmp_path / "net.json"
    done = run("learn", survey, "--output", net)
    assert done.code == 0
    counts = read_network(net).confidence.counts
    line = next(line for line in done.out.splitlines() if line.startswith("How sure"))
    assert (
        f"{counts['present']} pairs present, {counts['undecided']} undecided, {counts['absent']} absent"
        in line
    )
    assert done.out.count("odds of ten to one") == 1
    assert sum(counts.values()) == 66 and counts["undecided"]


def test_the_same_table_gives_the_same_probabilities_for_any_number_of_threads(survey, tmp_path):
    for threads in (1, 2):
        assert (
            process("learn", survey, "--threads", threads, "-o", tmp_path / f"{threads}.json").returncode == 0
        )
    assert told(tmp_path / "1.json") == told(tmp_path / "2.json")


def test_none_leaves_it_out_and_the_summary_says_how_to_ask(run, survey, tmp_path):
    done = run("learn", survey, "--confidence", "none", "--output", tmp_path / "net.json")
    assert json.loads((tmp_path / "net.json").read_text())["confidence"] is None
    assert "not worked out; --confidence posterior" in done.out


def test_a_table_of_many_variables_is_left_alone(run, tmp_path):
    codes = np.random.default_rng(1).integers(0, 2, (30, QUICK_STATES // 2 + 1))
    np.savetxt(tmp_path / "t.csv", codes, "%d", ",")
    done = run("learn", tmp_path / "t.csv", "--no-header", "--quiet")
    assert "not worked out; --confidence posterior" in done.out


@pytest.mark.parametrize("learner", ["hc", "ts"])
def test_the_paper_s_learners_tell_when_asked(run, table, tmp_path, learner):
    quiet = run("learn", table, "-a", learner, "--json")
    assert json.loads(quiet.out)["confidence"] is None
    asked = run("learn", table, "-a", learner, "--confidence", "posterior", "--json")
    sure = json.loads(asked.out)["confidence"]
    assert sure["method"] == "exact" and sure["temperature"] == 1.0


def test_any_learner_can_be_bootstrapped(run, table):
    done = run("learn", table, "-a", "gsmn", "--confidence", "bootstrap", "--fits", 20, "--json")
    sure = json.loads(done.out)["confidence"]
    assert sure["method"] == "bootstrap" and sure["diagnostics"]["n_fits"] == 20
    assert sure["edges"] == [{"frequency": 1.0, "verdict": "present"}]


def test_calibration_is_told_and_drawn(run, table, tmp_path):
    net, picture = tmp_path / "net.json", tmp_path / "claims.png"
    done = run("learn", table, "--calibrate", "--fits", 2, "-o", net)
    assert "Calibration" in done.out and "on 2 simulated tables like this one" in done.out
    told = json.loads(net.read_text())["confidence"]["reliability"]
    assert told["n_tables"] == 2 and sum(told["pairs"]) > 0
    for kind in ("reliability", "sizes", "structures"):
        assert run("plot", net, picture, "--kind", kind).code == 0
        assert picture.stat().st_size > 1000


def test_a_learner_without_a_score_has_no_probabilities(run, table):
    done = run("learn", table, "-a", "gsmn", "--confidence", "posterior")
    assert done.code == 2
    assert "gsmn has no score" in done.err and "--confidence bootstrap" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fits", 5), "--fits belongs to --confidence bootstrap"),
        (("--median", "m.json", "--confidence", "none"), "--median takes probabilities"),
        (("--median", "m.json", "--confidence", "bootstrap"), "--median takes probabilities"),
        (("--median", "m.txt"), "must end in one of"),
        (("--calibrate", "--confidence", "bootstrap"), "--calibrate takes probabilities"),
    ],
)
def test_what_cannot_be_is_refused(run, table, arguments, message):
    done = run("learn", table, *arguments)
    assert done.code == 2
    assert message in done.err


def test_every_format_tells_the_probability_of_its_edges(run, survey, tmp_path):
    names = [tmp_path / f"net{ending}" for ending in (".json", ".graphml", ".csv", ".dot")]
    assert run("learn", survey, *(part for name in names for part in ("-o", name))).code == 0
    result = read_network(names[0])
    sure, graph = result.confidence, result.graph
    for x, y, attributes in nx.read_graphml(names[1]).edges(data=True):
        i, j = graph.index(x), graph.index(y)
        assert attributes["probability"] == sure.edge_probabilities[i, j]
        assert attributes["verdict"] == sure.verdicts[i, j]
    rows = [row for row in csv.DictReader(names[2].read_text().splitlines()) if row["target"]]
    assert len(rows) == graph.n_edges
    for row in rows:
        pair = graph.index(row["source"]), graph.index(row["target"])
        assert float(row["probability"]) == sure.edge_probabilities[pair]
        assert row["verdict"] == sure.verdicts[pair]
    assert read_network(names[2]).n_edges == graph.n_edges
    dot = names[3].read_text()
    words = [sure.verdicts[edge] for edge in graph.edges]
    assert dot.count("style=solid") == words.count("present")
    assert dot.count("style=dashed") == len(words) - words.count("present")


def test_a_table_with_columns_called_source_and_target_is_no_network(tmp_path):
    from ibmap.result.formats import is_network_file

    (tmp_path / "t.csv").write_text("source,target,a,b\n0,1,0,1\n")
    assert not is_network_file(tmp_path / "t.csv")


def test_the_median_network_joins_the_pairs_more_probable_than_not(run, survey, tmp_path):
    net, median = tmp_path / "net.json", tmp_path / "median.json"
    done = run("learn", survey, "--output", net, "--median", median)
    assert done.code == 0 and "median.json" in done.err
    found, learned = read_network(median), read_network(net)
    assert (found.graph.adjacency == (learned.confidence.edge_probabilities > 0.5)).all()
    assert found.score is None and found.provenance.algorithm == "median"
    assert run("explain", median, "v0", "--data", survey).code == 0


def test_explain_lists_the_undecided_pairs_and_what_would_settle_them(run, survey, tmp_path):
    net = tmp_path / "net.json"
    run("learn", survey, "--output", net)
    undecided = read_network(net).undecided
    said = json.loads(run("explain", net, "--json").out)["undecided"]
    assert [each["probability"] for each in said] == [own.value for *_, own in undecided]
    assert all({"rows_to_settle", "verdict", "x", "y"} <= set(each) for each in said)
    text = run("explain", net).out
    assert "Undecided pairs" in text and "Rows that would settle it" in text
    x, y, own = undecided[0]
    pair = run("explain", net, f"v{x}", f"v{y}")
    assert f"The probability of an edge is {own.value:.3f}: undecided." in pair.out


@pytest.mark.parametrize("kind", ["evidence", "probabilities"])
def test_pictures_of_how_sure_it_is(run, survey, tmp_path, kind):
    net, picture = tmp_path / "net.json", tmp_path / "picture.svg"
    run("learn", survey, "--output", net)
    assert run("plot", net, picture, "--kind", kind).code == 0
    first = picture.read_bytes()
    assert run("plot", net, picture, "--kind", kind).code == 0
    assert picture.read_bytes() == first
    bare = tmp_path / "bare.json"
    run("learn", survey, "--confidence", "none", "--output", bare)
    refused = run("plot", bare, picture, "--kind", kind)
    assert refused.code == 2 and "--confidence posterior" in refused.err


def test_a_picture_of_stability_learns_the_same_table_again(run, table, tmp_path):
    net, picture = tmp_path / "net.json", tmp_path / "picture.png"
    run("learn", table, "--output", net)
    assert run("plot", net, picture, "--kind", "stability", "--data", table).code == 0
    assert picture.stat().st_size > 1000
    assert "belong together" in run("plot", net, picture, "--kind", "stability").err
    assert "belong together" in run("plot", net, picture, "--data", table).err
    other = tmp_path / "other.csv"
    other.write_text(table.read_text() + "sun,stay,1\n")
    assert "cannot be learned again" in run("plot", net, picture, "--kind", "stability", "--data", other).err


def test_a_plan_tells_the_rows_needed(run):
    asked = ("plan", "--variables", 6, "--degree", 2, "--log-odds", 2.5, "--networks", 2)
    told = json.loads(run(*asked, "--json").out)
    assert told["tried"][-1]["rows"] == told["rows_needed"]
    assert told["tried"][-1]["found"] >= 0.9 and told["tried"][-1]["false"] <= 0.1
    assert f"about {told['rows_needed']:,}" in run(*asked).out


def test_a_plan_without_edges_is_refused(run):
    done = run("plan", "--variables", 6, "--degree", 0)
    assert done.code == 2 and "at least one edge" in done.err


def test_ctrl_c_while_chains_run_gives_what_is_there(tmp_path):
    """Few rows and many variables: the chains go on for minutes."""
    codes = random_network(30, 4, random_state=1, signs="random").sample(80, random_state=2)
    np.savetxt(tmp_path / "t.csv", codes, "%d", ",", header=",".join(f"v{k}" for k in range(30)), comments="")
    net = tmp_path / "net.json"
    code = "from ibmap.cli import main; main()"
    asked = ["learn", str(tmp_path / "t.csv"), "--confidence", "posterior", "-o", str(net)]
    with subprocess.Popen([sys.executable, "-c", code, *asked], stderr=subprocess.PIPE) as running:
        time.sleep(8)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    sure = json.loads(net.read_text())["confidence"]
    assert sure["diagnostics"]["stopped"] == "interrupted"


def test_time_that_is_given_bounds_the_chains(run, survey):
    done = run("learn", survey, "--confidence", "posterior", "--max-seconds", 0.5, "--json")
    assert json.loads(done.out)["confidence"]["diagnostics"]["stopped"] in ("max_seconds", "precise")


def test_the_summary_says_where_chains_disagree_and_what_to_do(run, tmp_path):
    codes = random_network(20, 2, random_state=1, signs="random").sample(100, random_state=2)
    np.savetxt(tmp_path / "t.csv", codes, "%d", ",")
    done = run("learn", tmp_path / "t.csv", "--no-header")
    said = " ".join(done.out.split())
    assert "of the undecided the chains disagree (--confidence posterior makes more steps)" in said
