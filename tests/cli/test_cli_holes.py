"""Tables with missing cells on the command line: told, used, fitted, or refused by name."""

import json

import numpy as np
import pytest

from cli_runner import run_fixture  # noqa: F401

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")


@pytest.fixture(name="table")
def table_fixture(tmp_path):
    """Three columns in a chain with holes, and rows that show nothing."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 300)
    b = np.where(rng.random(300) < 0.85, a, 1 - a)
    c = np.where(rng.random(300) < 0.85, b, 1 - b)
    lines = [",".join(str(v) if rng.random() > 0.1 else "" for v in row) for row in zip(a, b, c, strict=True)]
    path = tmp_path / "holes.csv"
    path.write_text("\n".join(["a,b,c", *lines, *[",,"] * 5]) + "\n")
    return path


def test_the_summary_tells_cells_columns_and_treatment(run, table):
    done = run("learn", table)
    assert done.code == 0
    words = " ".join(done.out.split())
    assert "Missing" in words and "cells (" in words and "every row is used" in words
    assert "5 more dropped for missing values" in words
    assert "a, c" in words or "c, a" in words  # the blanket of b


def test_explain_tells_the_rows_that_show_both(run, table, tmp_path):
    network = tmp_path / "net.json"
    assert run("learn", table, "-o", network).code == 0
    told = json.loads(run("explain", network, "a", "b", "--data", table, "--json").out)
    lines = [line.split(",") for line in table.read_text().splitlines()[1:]]
    both = sum(1 for row in lines if row[0] and row[1])
    assert f'"n_rows": {both}' in json.dumps(told)


def test_parameters_are_fitted_from_holes_and_validation_is_refused(run, table, tmp_path):
    network, model = tmp_path / "net.json", tmp_path / "model.json"
    assert run("learn", table, "-o", network).code == 0
    assert run("fit", table, "-n", network, "-o", model).code == 0
    done = run("fit", table, "-n", network, "-o", model, "--prior-strength", "validate")
    assert done.code == 2 and "--missing drop" in done.err and "Traceback" not in done.err


@pytest.mark.parametrize("algorithm", ["hc", "gsmn", "ts"])
def test_the_papers_learners_refuse_holes_by_name(run, table, algorithm):
    done = run("learn", table, "--algorithm", algorithm)
    assert done.code == 2
    assert "'a' (" in done.err and "--missing drop" in done.err and "--missing state" in done.err


def test_use_is_refused_where_it_does_not_belong(run, table):
    done = run("learn", table, "--algorithm", "hc", "--missing", "use")
    assert done.code == 2 and "'use'" in done.err and "Traceback" not in done.err


@pytest.mark.parametrize("treatment", ["drop", "state", "use"])
def test_every_treatment_can_be_chosen(run, table, treatment):
    assert run("learn", table, "--missing", treatment, "--confidence", "none").code == 0


def test_error_refuses(run, table):
    done = run("learn", table, "--missing", "error")
    assert done.code == 2 and "'a' (" in done.err
