"""scikit-learn estimators: they validate, delegate and store what was found."""

from ibmap.estimators.base import n_threads_of
from ibmap.estimators.gsmn import GSMN
from ibmap.estimators.hill_climbing import IBMAPHC
from ibmap.estimators.tree_search import IBMAPTS

__all__ = ["GSMN", "IBMAPHC", "IBMAPTS", "n_threads_of"]
