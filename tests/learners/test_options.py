"""Options are said once: signatures, checks, docstrings and flags follow the options objects."""

import inspect
import subprocess
import sys

import pytest

import ibmap
from ibmap.cli.flags import learner_flags
from ibmap.errors import InvalidOptionError
from ibmap.learners import LEARNERS
from ibmap.learners.options import OPTIONS
from ibmap.options import (
    AveragedOptions,
    BayesianOptions,
    ClassicalOptions,
    PairwiseOptions,
    declared,
    defaults,
)

ESTIMATORS = (
    ibmap.IBMAP, ibmap.IBMAPHC, ibmap.IBMAPTS, ibmap.GSMN, ibmap.GSMNStar, ibmap.GSIMN, ibmap.IAMB,
    ibmap.HITON,
)  # fmt: skip
TESTS = {
    ibmap.BayesianTest: BayesianOptions,
    ibmap.PairwiseTest: PairwiseOptions,
    ibmap.AveragedTest: AveragedOptions,
    ibmap.ChiSquareTest: ClassicalOptions,
    ibmap.GTest: ClassicalOptions,
}
EVERY = [(learner, name) for learner in OPTIONS for name in declared(OPTIONS[learner])]


def signature(function):
    return {each.name: each.default for each in inspect.signature(function).parameters.values()}


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_an_estimator_takes_the_options_of_its_learner_with_their_defaults(estimator):
    given = signature(estimator)
    running = {"n_jobs": None, "callback": None} if LEARNERS[estimator._algorithm].is_parallel else {}
    assert given == defaults(OPTIONS[estimator._algorithm]) | running


@pytest.mark.parametrize("test", TESTS)
def test_a_test_has_the_defaults_of_its_options(test):
    given = signature(test)
    del given["X"]
    assert given == defaults(TESTS[test])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_docstring_says_what_the_options_say(estimator):
    text = " ".join(estimator.__doc__.split())
    for name, option in declared(OPTIONS[estimator._algorithm]).items():
        assert f" {name} : {option.check.kind}" in text
        assert option.help in text


def test_every_option_of_every_learner_has_a_flag():
    names = {each.name for each in learner_flags()}
    assert names == {name for _, name in EVERY} - {"missing", "bins"}  # about reading, which has its own


def test_a_flag_tells_every_default():
    said = {each.name: each.default.help for each in learner_flags()}
    assert said["rule"].endswith("(default: or; hiton: and)")
    assert said["start"].endswith("(default: empty; hc: gsmn)")
    assert said["prior"].endswith("(default: 0.5; ibmap: learned from the table)")
    assert said["max_memory"].endswith("(default: what the machine has left; ts: 1 GB)")
    assert said["max_seconds"].endswith("best so far.")


def wrong_value(check):
    return "nonsense" if check.words else {"int": -1, "float": float("nan")}.get(check.kind, "some")


@pytest.mark.parametrize(("learner", "name"), EVERY)
def test_every_option_refuses_what_it_cannot_be(learner, name):
    option = declared(OPTIONS[learner])[name]
    if name in ("bins", "ordered"):  # only the table tells
        OPTIONS[learner](**{name: "nonsense"}).check()
        return
    with pytest.raises(InvalidOptionError, match=f"{name} must be"):
        OPTIONS[learner](**{name: wrong_value(option.check)}).check()


@pytest.mark.parametrize(("learner", "name"), EVERY)
def test_none_is_refused_unless_it_stands_for_something(learner, name):
    option = declared(OPTIONS[learner])[name]
    options = OPTIONS[learner](**{name: None})
    if option.none is None and name not in ("start", "test", "ordered"):
        with pytest.raises(InvalidOptionError, match=name):
            options.check()
    else:
        options.check()


def test_wrong_options_are_refused_before_the_table_is_read():
    for estimator in ESTIMATORS:
        with pytest.raises(InvalidOptionError, match="missing must be"):
            estimator(missing="nonsense").fit("no table at all")


@pytest.mark.compiled_only("loading says nothing of kernels")
def test_the_help_of_learn_loads_no_learner():
    code = (
        "import sys\nfrom ibmap.cli import main\n"
        "try: main(['learn', '--help'])\nexcept SystemExit: pass\n"
        "assert not {'numba', 'numpy', 'polars', 'sklearn'} & {*sys.modules}, 'loaded'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, capture_output=True)
