"""`ibmap explain` as a user meets it."""

import json

import numpy as np
import pytest

from cli_runner import TABLE, run_fixture, table_fixture  # noqa: F401
from ibmap import SearchResult

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")


@pytest.fixture(name="net")
def net_fixture(run, table, tmp_path):
    path = tmp_path / "net.json"
    assert run("learn", table, "-o", path).code == 0
    return path


def test_a_pair_is_explained_in_words_and_numbers(run, net):
    found = run("explain", net, "game", "sky")
    assert found.code == 0
    assert found.err == ""
    assert found.out.startswith("game and sky: joined; evidence very strong: without the edge the structure")
    for part in (
        "Pr(dependent), averaged test",
        "Pr(dependent), full tables test",
        "1 - ",
        "40",
        "1 of 1",
        "Cochran's rule",
        "met",
    ):
        assert part in found.out, part
    other = run("explain", net, "sky", "die")
    assert "sky and die: not joined" in other.out
    assert "Pr(independent), averaged test" in other.out


def test_json_is_what_the_library_gives(run, net):
    result = SearchResult.from_json(net)
    found = json.loads(run("explain", net, "sky", "die", "--json").out)
    wanted = result.explain("sky", "die")
    assert found == json.loads(json.dumps(wanted.to_dict()))
    assert found["strength"] == wanted.strength
    own = json.loads(run("explain", net, "sky", "--json").out)
    assert own == json.loads(json.dumps(result.explain_variable("sky").to_dict()))
    every = json.loads(run("explain", net, "--json").out)
    assert [(e["x"], e["y"]) for e in every["edges"]] == [("sky", "game")]
    assert every["edges"] + every["nearest"] == [
        json.loads(json.dumps(each.to_dict())) for each in result.explanations
    ]
    assert {each["name"] for each in every["variables"]} == {"sky", "game", "die"}
    assert every["variables"][0]["description"]["n_states"] == 2


def test_a_variable_and_the_whole_network_are_explained(run, net):
    own = run("explain", net, "sky").out
    assert own.startswith("sky: joined to game. Its data are enough: 20.0 rows on average in 2 of 2 slices")
    assert "Edges, most evidence first" in own
    assert "Nearest to being joined" in own
    every = run("explain", net).out
    for part in ("Edges by weight of evidence", "Nearest rejected edges", "the thinnest data first", "Small"):
        assert part in every, part
    assert "joined to nothing" in run("explain", net, "die").out


def test_a_variable_may_be_given_by_its_number(run, net):
    assert run("explain", net, "0", "1").out == run("explain", net, "sky", "game").out


def test_the_table_explains_what_the_file_does_not(run, table, net, tmp_path):
    content = json.loads(net.read_text())
    content["evidence"] = [pair for pair in content["evidence"] if pair["is_edge"]]
    net.write_text(json.dumps(content))
    found = run("explain", net, "sky", "die")
    assert found.code == 2
    assert "--data TABLE" in found.err
    assert run("explain", net, "sky", "die", "--data", table).out.startswith("sky and die: not joined")
    assert "Nearest to being joined" in run("explain", net, "sky", "--data", table).out
    assert "Nearest rejected edges" in run("explain", net, "--data", table).out
    other = tmp_path / "other.csv"
    other.write_text(TABLE + "sun,stay,1\n")
    refused = run("explain", net, "sky", "die", "--data", other)
    assert refused.code == 2
    assert "not the table the network was learned from" in refused.err


def test_any_structure_is_explained_by_a_table(run, table, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("source,target\ndie,sky\nsky,game\n")
    assert "add the table it was learned from" in run("explain", path).err
    assert run("explain", path, "sky", "die", "--data", table).out.startswith(
        "sky and die: joined; evidence against it: without the edge the structure is"
    )
    found = json.loads(run("explain", path, "--data", table, "--json").out)
    assert [(each["x"], each["y"]) for each in found["edges"]] == [("sky", "game"), ("die", "sky")]
    assert len(found["nearest"]) == 1
    missing = tmp_path / "extra.csv"
    missing.write_text("source,target\nsky,nobody\n")
    assert "'nobody'" in run("explain", missing, "--data", table).err


def test_gsmn_is_explained_too(run, table, tmp_path):
    net = tmp_path / "gsmn.json"
    run("learn", table, "-a", "gsmn", "--test", "g", "-o", net)
    assert run("explain", net, "sky", "game").code == 2
    assert "No evidence is kept on 1 edges" in run("explain", net).out
    assert "No evidence is kept on 1 edges" in run("explain", net, "sky").out
    assert "evidence very strong" in run("explain", net, "sky", "game", "--data", table).out


def test_mistakes_are_told(run, net, tmp_path):
    for arguments, message in (
        (("explain", net, "sky", "sky"), "two different"),
        (("explain", net, "sky", "nobody"), "no variable 'nobody'"),
        (("explain", net, "7"), "no variable number 7"),
        (("explain", net, "--separator", ";"), "--data"),
        (("explain", tmp_path / "none.json"), "none.json"),
        (("explain", net, "sky", "die", "--data", tmp_path / "no.csv"), "no.csv"),
    ):
        found = run(*arguments)
        assert found.code == 2
        assert message in found.err, found.err


def test_bins_and_columns_are_read_as_learned_and_both_tests_shown(run, tmp_path):
    path = tmp_path / "numbers.csv"
    rng = np.random.default_rng(0)
    values = rng.normal(size=60)
    lines = [
        f"{v:.4f},{v + 0.1 * w:.4f},{'?' if k == 5 else k % 2}"
        for k, (v, w) in enumerate(zip(values, rng.normal(size=60), strict=True))
    ]
    path.write_text("a,b,c\n" + "\n".join(lines) + "\n")
    net = tmp_path / "net.json"
    assert run("learn", path, "--bins", "3", "--missing", "drop", "--drop", "c", "-o", net).code == 0
    found = run("explain", net, "a", "b", "--data", path)
    assert found.code == 0, found.err
    lines = found.out.splitlines()
    assert sum("bayesian test" in line for line in lines) == 1
    assert [line for line in lines if "bayesian test" not in line] == run(
        "explain", net, "a", "b"
    ).out.splitlines()


def test_a_large_network_is_cut_with_a_note(run, tmp_path):
    rng = np.random.default_rng(1)
    base = rng.integers(0, 2, (40, 3))
    codes = np.repeat(base, 15, axis=1)
    path = tmp_path / "wide.csv"
    names = ",".join(f"v{k}" for k in range(45))
    path.write_text("\n".join([names, *(",".join(map(str, row)) for row in codes.tolist())]) + "\n")
    edges = "".join(f"v{i},v{j}\n" for i in range(10) for j in range(i + 1, 10))
    net = tmp_path / "net.csv"
    net.write_text("source,target\n" + edges + "".join(f"v{k},\n" for k in range(10, 45)))
    out = run("explain", net, "--data", path).out
    assert "and 5 weaker edges; --json has them all" in out
    assert "(12 of 45)" in out
