"""Parameters from tables with missing cells."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

import ibmap
from ibmap import MarkovNetwork
from ibmap.errors import InvalidOptionError, InvalidTableError
from ibmap.simulate import random_network

COMPLETE = np.ones((3, 3)) - np.eye(3)


def holed_frame(codes, share, seed=0):
    frame = pd.DataFrame(codes, columns=[f"v{k}" for k in range(codes.shape[1])]).astype("Int64")
    return frame.mask(np.random.default_rng(seed).random(codes.shape) < share)


def expectation_maximisation(rows, n_states, n_steps=200):
    """The joint table of a few variables by EM, cell by cell; None is a hole."""
    cells = list(product(*map(range, n_states)))
    joint = {cell: 1 / len(cells) for cell in cells}
    for _ in range(n_steps):
        counts = dict.fromkeys(cells, 0.0)
        for row in rows:
            fits = [c for c in cells if all(v is None or v == s for v, s in zip(row, c, strict=True))]
            total = sum(joint[c] for c in fits)
            for c in fits:
                counts[c] += joint[c] / total
        joint = {c: count / len(rows) for c, count in counts.items()}
    return joint


def test_parameters_are_those_of_expectation_maximisation():
    codes = np.asarray(random_network(3, 2, random_state=2, log_odds=2.0).sample(800, random_state=1)).astype(
        int
    )
    frame = holed_frame(codes, 0.3)
    model = MarkovNetwork.fit(frame, COMPLETE, missing="use", prior_strength=1e-6)
    rows = [[None if pd.isna(value) else int(value) for value in row] for row in frame.to_numpy(object)]
    expected = expectation_maximisation(rows, [2, 2, 2])
    for cell, probability in expected.items():
        given = {f"v{k}": s for k, s in enumerate(cell)}
        found = np.exp(model.log_likelihood(pd.DataFrame([given]))[0])
        assert found == pytest.approx(probability, abs=0.012)


def test_the_order_of_rows_and_rows_that_show_nothing_change_no_parameter():
    codes = np.asarray(random_network(3, 2, random_state=2).sample(200, random_state=1)).astype(int)
    frame = holed_frame(codes, 0.2)
    nothing = pd.DataFrame([[pd.NA] * 3] * 20, columns=frame.columns, dtype="Int64")
    models = [
        MarkovNetwork.fit(each, COMPLETE, missing="use")
        for each in (frame, frame.iloc[::-1], pd.concat([frame, nothing]))
    ]
    first = models[0].log_likelihood(codes)
    for model in models[1:]:
        assert model.log_likelihood(codes) == pytest.approx(first, abs=1e-9)


def test_a_row_with_a_weight_is_that_row_repeated():
    codes = np.asarray(random_network(3, 2, random_state=2).sample(60, random_state=1)).astype(int)
    frame = holed_frame(codes, 0.2)
    weights = np.random.default_rng(0).integers(1, 4, len(frame))
    table = ibmap.encode(frame, missing="use")
    weighted = MarkovNetwork.fit(replace(table, weights=weights), COMPLETE, missing="use")
    repeated = MarkovNetwork.fit(frame.loc[frame.index.repeat(weights)], COMPLETE, missing="use")
    assert weighted.log_likelihood(codes) == pytest.approx(repeated.log_likelihood(codes), abs=1e-9)


def test_more_equal_rows_than_are_drawn_stand_for_all():
    frame = pd.DataFrame({"a": [0, 1, 0, 1, None], "b": [0, 1, 1, 0, 1], "c": [0, 1, 0, 1, 0]}, dtype="Int64")
    table = ibmap.encode(frame, missing="use")
    weights = np.array([300, 300, 100, 100, 2500])
    model = MarkovNetwork.fit(replace(table, weights=weights), COMPLETE, missing="use")
    assert model.marginals("b")[1] == pytest.approx(2900 / 3300, abs=0.01)


def test_a_learner_fits_the_parameters_of_a_table_with_holes():
    codes = np.asarray(random_network(5, 2, random_state=1, log_odds=2.0).sample(400, random_state=1)).astype(
        int
    )
    frame = holed_frame(codes, 0.15)
    model = ibmap.IBMAP().fit(frame).fit_parameters()
    whole = ibmap.IBMAP().fit(frame.dropna()).fit_parameters()
    assert model.report.n_samples == 400
    assert model.log_likelihood(codes).mean() > whole.log_likelihood(codes).mean() - 0.05


def test_a_prior_is_not_validated_by_rows_with_holes():
    frame = holed_frame(np.random.default_rng(1).integers(0, 2, (50, 3)), 0.2)
    with pytest.raises(InvalidOptionError, match=r"validate.*missing='drop'"):
        MarkovNetwork.fit(frame, COMPLETE, missing="use", prior_strength="validate")


def test_holes_are_refused_by_name_where_they_are_not_asked_for():
    frame = holed_frame(np.random.default_rng(1).integers(0, 2, (50, 3)), 0.2)
    with pytest.raises(InvalidTableError, match="'v0'"):
        MarkovNetwork.fit(frame, COMPLETE)
