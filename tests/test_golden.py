"""What was learned stays what it was, whatever computes it."""

import json

import pytest

from golden_tables import CASES, RESULTS, result_of

EXPECTED = json.loads(RESULTS.read_text())


def test_every_table_and_run_has_a_result():
    assert list(EXPECTED) == [f"{name} / {run}" for name, run in CASES]


@pytest.mark.compiled_only("the same results as compiled, much later")
@pytest.mark.parametrize(("name", "run"), CASES)
def test_a_result_is_as_it_was(name, run):
    found, expected = result_of(name, run), EXPECTED[f"{name} / {run}"]
    assert found["edges"] == expected["edges"]
    assert found["flips"] == expected["flips"]
    if expected["score"] is None:
        assert found["score"] is None
    else:
        assert found["score"] == pytest.approx(expected["score"], rel=1e-9, abs=1e-8)
    assert found["n_tests"] == expected["n_tests"]
