"""A variable of a network as a scikit-learn classifier."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from ibmap import IBMAPHC, MarkovNetwork, NetworkClassifier
from ibmap.errors import InvalidTableError

pytestmark = pytest.mark.compiled_only("what other libraries make of a result says nothing about kernels")


def weather(n=200, seed=0):
    """Two features that tell the target, one that does not."""
    rng = np.random.default_rng(seed)
    sky, coin = rng.choice(["sun", "rain", "fog"], n), rng.integers(0, 2, n)
    wind = np.where(rng.random(n) < 0.8, sky == "rain", rng.random(n) < 0.5)
    play = np.where(rng.random(n) < 0.9, sky == "sun", rng.random(n) < 0.5)
    return pd.DataFrame({"sky": sky, "wind": wind, "coin": coin}), pd.Series(np.where(play, "play", "stay"))


def exempt(estimator):
    return {"check_estimators_nan_inf": "missing values of rows to predict are summed out, not refused"}


@parametrize_with_checks([NetworkClassifier(IBMAPHC(bins=4))], expected_failed_checks=exempt)
@pytest.mark.filterwarnings("ignore::ibmap.errors.DataWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_it_predicts_and_is_judged_by_scikit_learn():
    X, y = weather()
    classifier = NetworkClassifier().fit(X, y)
    assert classifier.classes_.tolist() == ["play", "stay"] and classifier.target_ == "y"
    assert classifier.score(X, y) > 0.85
    assert cross_val_score(NetworkClassifier(), X, y, cv=4).mean() > 0.85
    shares = classifier.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(np.ones(200))


def test_a_model_shows_each_variable_as_a_classifier():
    X, y = weather()
    table = X.assign(play=y)
    model = MarkovNetwork.fit(table, np.ones((4, 4)) - np.eye(4))
    classifier = model.classifier("play")
    assert classifier.predict_proba(X).tolist() == model.predict_proba(table, "play").tolist()
    assert classifier.predict(X).tolist() == model.predict(table, "play").tolist()
    assert classifier.predict(X.to_numpy().tolist()).tolist() == model.predict(table, "play").tolist()
    assert classifier.feature_names_in_.tolist() == ["sky", "wind", "coin"]
    gaps = X.astype(object).copy()
    gaps.loc[:, "wind"] = None
    gaps.loc[0, "sky"] = "hail"
    assert np.isfinite(classifier.predict_proba(gaps)).all()


def test_the_target_gets_a_name_no_feature_has():
    X = pd.DataFrame({"y": [0, 1] * 20, "y_": [1, 0] * 20})
    assert NetworkClassifier().fit(X, [0, 1] * 20).target_ == "y__"
    named = pd.Series([0, 1] * 20, name="goal")
    assert NetworkClassifier().fit(X, named).target_ == "goal"


def test_rows_that_do_not_fit_are_refused():
    X, y = weather()
    with pytest.raises(InvalidTableError, match="200 rows and y has 100"):
        NetworkClassifier().fit(X, y[:100])
    with pytest.raises(InvalidTableError, match="missing='drop'"):
        NetworkClassifier(IBMAPHC(missing="drop")).fit(X, y)
    with pytest.raises(InvalidTableError, match="X has 2 features"):
        NetworkClassifier().fit(X, y).predict([["sun", True]])
