"""Tables with numbers from the command line: learned, explained, fitted, shown; and what is refused."""

import json

import numpy as np
import pytest

from cli_runner import run_fixture  # noqa: F401
from ibmap.simulate import mixed_network

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")

KINDS = [0, 0, 2, 0, 3, 2]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A file with three columns of numbers and three of words."""
    rows = mixed_network(KINDS, 2, random_state=3).sample(300, random_state=1)
    words = np.array(["red", "blue", "green"])
    columns = [
        [f"{30 + 7 * v:.4f}" for v in column] if k == 0 else words[column.astype(int)]
        for column, k in zip(rows.T, KINDS, strict=True)
    ]
    path = tmp_path_factory.mktemp("numbers") / "mixed.csv"
    lines = [",".join(f"v{k}" for k in range(6)), *(",".join(row) for row in zip(*columns, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def numbers(table, tmp_path_factory):
    """The columns of numbers alone."""
    path = tmp_path_factory.mktemp("numbers") / "numbers.csv"
    kept = [[row.split(",")[k] for k in (0, 1, 3)] for row in table.read_text().split()]
    path.write_text("\n".join(",".join(row) for row in kept) + "\n")
    return path


def test_a_table_with_numbers_is_learned_explained_fitted_and_shown(run, table, tmp_path):
    network, page, model = (tmp_path / name for name in ("net.json", "page.html", "model.json"))
    learned = run(
        "learn", table, "--bins", "keep", "--output", network, "--report", page, "--json", "--quiet"
    )
    result = json.loads(learned.out)
    assert result["provenance"]["options"]["bins"] == "keep"
    truth = {*mixed_network(KINDS, 2, random_state=3).graph.edges}
    assert len(truth ^ {*map(tuple, result["edges"])}) <= 2
    assert "v0" in page.read_text()
    explained = run("explain", network, "v0", "v1", "--data", table)
    assert "averaged test" in explained.out
    fitted = run("fit", table, "--network", network, "--output", model, "--quiet")
    assert fitted.code == 0
    assert "[" in run("query", model, "--of", "v0").out  # by bins


def test_the_summary_tells_which_numbers_are_kept_and_which_are_cut(run, table):
    usual, cut = run("learn", table).out, run("learn", table, "--bins", "auto").out
    for kept in (usual, run("learn", table, "--bins", "keep").out):
        assert "Numbers are kept as they are" in kept
        assert "'v0' (5)" in kept
        assert "--bins auto" in " ".join(kept.split())
        assert "cut into bins" not in kept
    assert "Numbers are cut into bins" in cut
    assert "--bins keep" not in cut


def test_the_same_table_gives_the_same_bytes_for_any_number_of_threads(run, table):
    flags = ("--bins", "keep", "--json", "--quiet", "--confidence", "none")
    first, second = (json.loads(run("learn", table, *flags, "--threads", str(k)).out) for k in (1, 2))
    for each in (first, second):
        each["provenance"].pop("seconds")
    assert first == second


def test_partial_correlations_answer_the_learners_of_the_paper(run, numbers):
    for algorithm in ("hc", "gsmn", "iamb"):
        flags = ("-a", algorithm, "--test", "partial-correlation", "--bins", "keep", "--json", "--quiet")
        result = json.loads(run("learn", numbers, *flags).out)
        assert result["provenance"]["options"]["test"] == "partial-correlation"
        assert len(result["edges"]) == 2


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["-a", "hc", "--bins", "keep"], "--bins keep"),
        (["-a", "mpl", "--bins", "keep"], "--bins keep"),
        (["-a", "hc", "--bins", "both"], "--bins both"),
        (["-a", "gsmn", "--test", "pairwise", "--bins", "v0=both"], "--bins both"),
        (["-a", "hc", "--test", "partial-correlation", "--bins", "keep"], "'v2', 'v4', 'v5'"),
        (["-a", "hc", "--test", "partial-correlation", "--bins", "width"], "--bins keep"),
        (["-a", "hc", "--test", "partial-correlation", "--slices", "seen"], "--slices belongs to --test"),
    ],
)
def test_what_cannot_be_is_refused(run, table, flags, said):
    done = run("learn", table, *flags)
    assert done.code == 2
    assert said in " ".join(done.err.replace("│", " ").split())
