"""Looks at binary blankets cut into parts: any cut adds up, and any number of threads gives the same bits."""

import numpy as np
import pytest

from effort import scaled
from ibmap import BayesianTest, large_looks
from ibmap.binary_score import BinaryScore
from ibmap.score import TestScore
from ibmap.sharing import Team
from ibmap.table import EncodedTable


def some_score(n_rows=1500, n_variables=12):
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 2, (n_rows, n_variables))
    for v in range(1, n_variables):
        codes[:, v] = np.where(rng.random(n_rows) < 0.3, codes[:, v - 1], codes[:, v])
    return BinaryScore(BayesianTest(EncodedTable.from_codes(codes, [2] * n_variables)))


BLANKETS = [(), (1,), (1, 4, 7), (2, 3, 5, 6, 9), tuple(range(1, 10)), (1, 2, 3, 5, 6, 7, 8, 9)]


@pytest.mark.parametrize("blanket", BLANKETS[-2:])
def test_sums_over_large_slices_are_the_same_however_they_are_cut(monkeypatch, blanket):
    score = some_score(n_rows=scaled(60000, 20000))  # slices of over 64 data points
    whole = score.changes(0, blanket)
    monkeypatch.setattr(large_looks, "WORK_OF_PART", 1.0)
    for most in scaled((2, 3, 4, 100), (2, 100)):
        monkeypatch.setattr(large_looks, "MAX_PARTS", most)
        parts = next(score.shared_bounds(0, blanket))
        assert len(parts) >= 2 + min(most, 60)
        assert score.changes(0, blanket) == pytest.approx(whole, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("work", [1.0, 2e5])
def test_threads_that_share_the_parts_of_looks_find_the_same_bits(monkeypatch, work):
    monkeypatch.setattr(large_looks, "WORK_OF_PART", work)
    score = some_score()
    alone = [score.bounds(0, blanket)[0] for blanket in BLANKETS]
    for n_threads in scaled((1, 2, 3, 4), (1, 4)):
        with Team(n_threads) as team:
            for _ in range(scaled(3, 1)):
                found = team.run([score.shared_bounds(0, blanket) for blanket in BLANKETS])
                assert all(np.array_equal(f[0], a) for f, a in zip(found, alone, strict=True))


@pytest.mark.parametrize("prior", [1e-6, 1e-15, 1e-99])
def test_terms_stay_finite_however_sure_the_prior_is_of_dependence(prior):
    x, w = np.arange(1000) % 2, np.arange(1000) // 2 % 2
    test = BayesianTest(EncodedTable.from_codes(np.stack([x, w, x, x, w], 1), [2] * 5), prior)
    for blanket in [(), (1,), (2,), (1, 3)]:
        expected = TestScore(test).changes(0, blanket)
        assert BinaryScore(test).changes(0, blanket) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("prior", [0.99, 0.991, 0.999999, 1 - 1e-9, 1 - 1e-15])
def test_large_blankets_keep_all_digits_however_sure_the_prior_is_of_independence(prior):
    rng = np.random.default_rng(0)
    n_rows = scaled(4000, 500)
    codes = rng.integers(0, 2, (n_rows, 12))
    codes[:, 1] = codes[:, 0] ^ (rng.random(n_rows) < 0.2)
    test = BayesianTest(EncodedTable.from_codes(codes, [2] * 12), prior)
    for blanket in [tuple(range(1, 9)), tuple(range(1, 11))]:
        expected = TestScore(test).changes(0, blanket)
        assert BinaryScore(test).changes(0, blanket) == pytest.approx(expected, abs=1e-9)
