import math

import numpy as np
import pytest

from ibmap.confidence import Confidence
from ibmap.confidence.planning import LADDER, rows_needed
from ibmap.errors import InvalidOptionError
from ibmap.result.settling import rows_to_settle


def sure(values, temperature=1.0):
    p = np.zeros((3, 3))
    p[np.triu_indices(3, 1)] = values
    return Confidence(("a", "b", "c"), p + p.T, "sampled", temperature)


def test_stronger_links_need_fewer_rows():
    strong, weak = (rows_needed(6, 2, log_odds, n_networks=3) for log_odds in (2.5, 0.7))
    assert strong.needed is not None and weak.needed is not None
    assert strong.needed < weak.needed
    assert strong.found[-1] >= 0.9 and strong.false[-1] <= 0.1
    assert strong.n_samples == LADDER[: len(strong.found)]


def test_a_network_without_edges_is_refused():
    with pytest.raises(InvalidOptionError, match="at least one edge"):
        rows_needed(4, 0)


def test_only_undecided_pairs_are_told_of_and_the_nearest_first():
    found = rows_to_settle(sure([0.99, 0.85, 0.6]), 100, prior=0.8)
    assert [(each.x, each.y) for each in found] == [("a", "c"), ("b", "c")]
    assert 100 < found[0].n_samples < found[1].n_samples < 300


def test_evidence_for_a_link_grows_with_the_rows():
    """From the prior odds at no rows to even odds at 100: ten to one is a straight line further."""
    before = 2 * math.log(0.2 / 0.8)
    (found,) = rows_to_settle(sure([0.5, 0.0, 0.0]), 100, prior=0.8)
    assert found.n_samples == math.ceil(100 * (math.log(10) - before) / -before)


def test_evidence_against_a_link_grows_with_their_logarithm():
    (found,) = rows_to_settle(sure([0.2, 0.0, 0.0]), 100, prior=0.5)
    assert found.n_samples == math.ceil(100 * math.exp((math.log(0.25) + math.log(10)) / 3))
