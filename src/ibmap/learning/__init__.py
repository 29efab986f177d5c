"""The learners as plain functions: an encoded table and options in, a result out.

The scikit-learn estimators and the command line both call these.
"""

from ibmap.learning.gsmn import learn_gsmn
from ibmap.learning.hill_climbing import learn_hc
from ibmap.learning.learners import LEARNERS, Learner
from ibmap.learning.options import (
    GSMNOptions,
    HillClimbingOptions,
    ScoreOptions,
    TestOptions,
    TreeSearchOptions,
)
from ibmap.learning.tree_search import learn_ts

__all__ = [
    "LEARNERS",
    "GSMNOptions",
    "HillClimbingOptions",
    "Learner",
    "ScoreOptions",
    "TestOptions",
    "TreeSearchOptions",
    "learn_gsmn",
    "learn_hc",
    "learn_ts",
]
