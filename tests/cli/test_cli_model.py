"""The commands about complete models, as a user runs them."""

import json

import polars as pl
import pytest

import ibmap
from cli_runner import run_fixture  # noqa: F401

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")

ROWS = ["sunny,hot,stay", "sunny,hot,stay", "rainy,mild,play", "rainy,cool,play", "sunny,cool,play"] * 6
TABLE = "\n".join(["outlook,heat,play", *ROWS]) + "\n"


@pytest.fixture(name="files")
def files_fixture(tmp_path, run):
    """A table, a network over it and a fitted model."""
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "net.csv").write_text("source,target\noutlook,heat\nheat,play\n")
    done = run(
        "fit", tmp_path / "table.csv", "--network", tmp_path / "net.csv", "-o", tmp_path / "model.json"
    )
    assert done.code == 0 and "written:" in done.err and "closed-form" in done.out
    return tmp_path


def test_fit_writes_the_model_that_the_library_fits(files):
    model = ibmap.MarkovNetwork.load(files / "model.json")
    rows = pl.read_csv(files / "table.csv")
    direct = ibmap.MarkovNetwork.fit(rows, model.graph)
    assert model.log_likelihood(rows).tolist() == direct.log_likelihood(rows).tolist()


def test_fit_reads_learned_networks_and_reports_as_json(files, run):
    assert run("learn", files / "table.csv", "-o", files / "net.json").code == 0
    options = ["--prior-strength", "validate", "--potentials", "pairwise", "--json", "--quiet"]
    done = run("fit", files / "table.csv", "-n", files / "net.json", "-o", files / "m.uai", *options)
    report = json.loads(done.out)
    assert report["potentials"] == "pairwise" and len(report["validated"]) > 2 and done.err == ""
    asked = json.loads(run("query", files / "m.uai", "--of", "x1", "--json").out)
    assert sum(asked["probabilities"]) == pytest.approx(1)


def test_query_gives_the_posterior(files, run):
    model = ibmap.MarkovNetwork.load(files / "model.json")
    expected = model.marginals("play", given={"outlook": "sunny"})
    done = run("query", files / "model.json", "--given", "outlook=sunny", "--of", "play", "--json")
    answer = json.loads(done.out)
    assert answer["states"] == [["play"], ["stay"]] and answer["method"] == "exact"
    assert answer["probabilities"] == list(expected.values())
    shown = run("query", files / "model.json", "--given", "outlook=sunny", "--of", "play").out
    assert f"{expected['stay']:.6f}" in shown and "probability" in shown
    joint = json.loads(run("query", files / "model.json", "--of", "play", "--of", "heat", "--json").out)
    assert len(joint["states"]) == 6 and joint["of"] == ["play", "heat"]


def test_query_by_chains_tells_its_error(files, run):
    done = run("query", files / "model.json", "--of", "play", "--method", "gibbs", "--seed", 3)
    assert "standard error" in done.out and "R-hat" in done.err
    again = run("query", files / "model.json", "--of", "play", "--method", "gibbs", "--seed", 3)
    assert again.out == done.out


def test_sample_writes_rows_that_the_model_reads(files, run):
    done = run("sample", files / "model.json", "--rows", 20, "--seed", 5)
    assert done.out.splitlines()[0] == "outlook,heat,play" and len(done.out.splitlines()) == 21
    assert done.out == run("sample", files / "model.json", "--rows", 20, "--seed", 5).out
    run("sample", files / "model.json", "--rows", 20, "--seed", 5, "-o", files / "new.parquet")
    assert pl.read_parquet(files / "new.parquet").write_csv() == done.out
    assert run("loglik", files / "model.json", files / "new.parquet").code == 0


def test_loglik_gives_means_and_rows(files, run):
    model = ibmap.MarkovNetwork.load(files / "model.json")
    rows = pl.read_csv(files / "table.csv")
    figures = json.loads(run("loglik", files / "model.json", files / "table.csv", "--json").out)
    assert figures["mean_log_likelihood"] == pytest.approx(model.log_likelihood(rows).mean())
    assert figures["mean_pseudo_log_likelihood"] == pytest.approx(model.pseudo_log_likelihood(rows).mean())
    lines = run("loglik", files / "model.json", files / "table.csv", "--rows").out.splitlines()
    assert lines[0] == "log_likelihood,pseudo_log_likelihood" and len(lines) == 31
    assert "a row" in run("loglik", files / "model.json", files / "table.csv").out


def test_rows_with_gaps_are_summed_out_and_completed(files, run):
    (files / "gaps.csv").write_text("outlook,heat,play\nsunny,,\nrainy,mild,play\n?,hot,\n")
    figures = json.loads(run("loglik", files / "model.json", files / "gaps.csv", "--json").out)
    assert figures["n_complete_rows"] == 1 and figures["n_rows"] == 3
    lines = run("complete", files / "model.json", files / "gaps.csv").out.splitlines()
    assert lines[1:] == ["sunny,hot,stay", "rainy,mild,play", "sunny,hot,stay"]
    predicted = run("predict", files / "model.json", files / "gaps.csv", "--column", "play").out.splitlines()
    assert predicted[0] == "play,P(play=play),P(play=stay)" and predicted[3].startswith("stay,0.0")


def test_impossible_rows_are_counted(files, run):
    options = ["-n", files / "net.csv", "-o", files / "plain.json", "--prior-strength", 0]
    assert run("fit", files / "table.csv", *options).code == 0
    (files / "odd.csv").write_text("outlook,heat,play\nsunny,mild,stay\n")
    done = run("loglik", files / "plain.json", files / "odd.csv")
    assert "-inf" in done.out and "probability zero" in done.out
    figures = json.loads(run("loglik", files / "plain.json", files / "odd.csv", "--json").out)
    assert figures["log_likelihood"] is None and figures["n_impossible_rows"] == 1
    asked = ["--given", "heat=mild", "--given", "play=stay"]
    done = run("query", files / "plain.json", *asked, "--of", "outlook")
    assert done.code == 2 and "probability zero" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["query", "model.json", "--of", "wind"], "no variable 'wind'"),
        (["query", "model.json", "--of", "play", "--given", "outlook"], "VARIABLE=STATE"),
        (["query", "model.json", "--of", "play", "--given", "outlook=snow"], "'snow'"),
        (
            ["query", "model.json", "--of", "play", "--given", "heat=hot", "--given", "heat=hot"],
            "given twice",
        ),
        (["query", "net.csv", "--of", "play"], "not JSON"),
        (["query", "nothing.json", "--of", "play"], "no file"),
        (["loglik", "model.json", "unseen.csv"], "'snowy' in row 0"),
        (["loglik", "model.json", "narrow.csv"], "no column 'heat', 'play'"),
        (["fit", "table.csv", "-n", "net.csv", "-o", "model.txt"], ".json or .uai"),
        (
            ["fit", "table.csv", "-n", "net.csv", "-o", "m.json", "--prior-strength", "big"],
            "--prior-strength big",
        ),
        (["fit", "table.csv", "-n", "net.csv", "-o", "m.json", "--prior-strength", "-1"], "prior_strength"),
        (["sample", "model.json", "--rows", "2", "-o", "rows.txt"], ".csv or .parquet"),
    ],
)
def test_mistakes_are_told_in_one_line(files, run, monkeypatch, arguments, message):
    monkeypatch.chdir(files)
    (files / "unseen.csv").write_text("outlook,heat,play\nsnowy,hot,stay\n")
    (files / "narrow.csv").write_text("outlook\nsunny\n")
    done = run(*arguments)
    assert done.code == 2 and message in done.err and done.out == ""


def test_unseen_values_may_be_taken_as_missing(files, run):
    (files / "unseen.csv").write_text("outlook,heat,play\nsnowy,hot,stay\n")
    done = run("loglik", files / "model.json", files / "unseen.csv", "--unseen", "missing", "--json")
    assert json.loads(done.out)["n_complete_rows"] == 0


def test_names_with_equals_signs_can_be_given(tmp_path, run):
    model = ibmap.MarkovNetwork.fit(pl.DataFrame({"a=b": [1, 2, 1], "c": [0, 1, 0]}), [[0, 1], [1, 0]])
    model.save(tmp_path / "m.json")
    answer = json.loads(run("query", tmp_path / "m.json", "--of", "c", "--given", "a=b=2", "--json").out)
    assert answer["probabilities"] == list(model.marginals("c", given={"a=b": 2}).values())
