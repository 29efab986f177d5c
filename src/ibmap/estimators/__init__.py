"""scikit-learn estimators: they validate, delegate and store what was found."""

from ibmap.estimators.base import n_threads_of
from ibmap.estimators.blankets import GSIMN, GSMN, HITON, IAMB, GSMNStar
from ibmap.estimators.climbing import IBMAPHC
from ibmap.estimators.recommended import IBMAP
from ibmap.estimators.tree_search import IBMAPTS

__all__ = ["GSIMN", "GSMN", "HITON", "IAMB", "IBMAP", "IBMAPHC", "IBMAPTS", "GSMNStar", "n_threads_of"]
