"""The learners as plain functions: an encoded table and options in, a result out.

The scikit-learn estimators and the command line both call these.
"""

from ibmap.learning.gsmn import learn_gsmn
from ibmap.learning.hill_climbing import learn_hc
from ibmap.learning.learners import LEARNERS, Learner
from ibmap.learning.options import (
    GSMNOptions,
    HillClimbingOptions,
    HITONOptions,
    IAMBOptions,
    LearnerOptions,
    RecommendedOptions,
    ScoreOptions,
    TestOptions,
    TreeSearchOptions,
)
from ibmap.learning.recommended import learn_recommended
from ibmap.learning.relatives import learn_gsimn, learn_gsmn_star, learn_hiton, learn_iamb
from ibmap.learning.tree_search import learn_ts

__all__ = [
    "LEARNERS",
    "GSMNOptions",
    "HITONOptions",
    "HillClimbingOptions",
    "IAMBOptions",
    "Learner",
    "LearnerOptions",
    "RecommendedOptions",
    "ScoreOptions",
    "TestOptions",
    "TreeSearchOptions",
    "learn_gsimn",
    "learn_gsmn",
    "learn_gsmn_star",
    "learn_hc",
    "learn_hiton",
    "learn_iamb",
    "learn_recommended",
    "learn_ts",
]
