"""scikit-learn estimators: they validate, delegate and store what was found."""

from ibmap.estimators.base import n_threads_of
from ibmap.estimators.gsmn import GSMN
from ibmap.estimators.gsmn_star import GSIMN, GSMNStar
from ibmap.estimators.hill_climbing import IBMAPHC
from ibmap.estimators.hiton import HITON
from ibmap.estimators.iamb import IAMB
from ibmap.estimators.recommended import IBMAP
from ibmap.estimators.tree_search import IBMAPTS

__all__ = ["GSIMN", "GSMN", "HITON", "IAMB", "IBMAP", "IBMAPHC", "IBMAPTS", "GSMNStar", "n_threads_of"]
