"""scikit-learn estimators: they validate, delegate and store what was found."""

from ibmap.learners.estimators.base import n_threads_of
from ibmap.learners.estimators.blankets import GSIMN, GSMN, HITON, IAMB, GSMNStar
from ibmap.learners.estimators.climbing import IBMAPHC
from ibmap.learners.estimators.recommended import IBMAP
from ibmap.learners.estimators.tree_search import IBMAPTS

__all__ = ["GSIMN", "GSMN", "HITON", "IAMB", "IBMAP", "IBMAPHC", "IBMAPTS", "GSMNStar", "n_threads_of"]
