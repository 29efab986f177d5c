"""The learners as plain functions: an encoded table and options in, a result out.

The scikit-learn estimators and the command line both call these.
"""

from ibmap.learning.gsmn import learn_gsmn
from ibmap.learning.hill_climbing import learn_hc
from ibmap.learning.options import BayesianOptions, GSMNOptions, HillClimbingOptions

__all__ = ["BayesianOptions", "GSMNOptions", "HillClimbingOptions", "learn_gsmn", "learn_hc"]
