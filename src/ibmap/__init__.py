"""Which variables of a table depend directly on which others.

ibmap learns the structure of a Markov network from a table of discrete
variables by the independence-based score (IB-score) of Bromberg and Schlüter.

Everything below is loaded when it is first used, so importing is quick.

Examples
--------
>>> import ibmap
>>> rows = [["sun", "play"], ["rain", "stay"]] * 20
>>> ibmap.IBMAP().fit(rows).adjacency_.tolist()
[[False, True], [True, False]]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ibmap import datasets, metrics, plotting, report, simulate
    from ibmap.confidence import Confidence
    from ibmap.data.encoding import encode
    from ibmap.data.table import EncodedTable
    from ibmap.errors import StopSearch
    from ibmap.graph import MarkovGraph
    from ibmap.graph.closure import Assertion, blanket_closure, pairwise_closure
    from ibmap.independence.averaged import AveragedTest
    from ibmap.independence.bayesian import BayesianTest
    from ibmap.independence.classical import ChiSquareTest, GTest
    from ibmap.independence.pairwise import PairwiseTest
    from ibmap.independence.partial_correlation import PartialCorrelationTest
    from ibmap.independence.separation import SeparationTest
    from ibmap.learners.estimators import GSIMN, GSMN, HITON, IAMB, IBMAP, IBMAPHC, IBMAPTS, GSMNStar
    from ibmap.learners.groups import GroupComparison, compare_groups
    from ibmap.model import MarkovNetwork
    from ibmap.model.classifier import NetworkClassifier
    from ibmap.result import SearchResult
    from ibmap.score import closure_score, ib_score

__version__ = "0.1.0"

_HOMES = {
    "Assertion": "ibmap.graph.closure",
    "AveragedTest": "ibmap.independence.averaged",
    "BayesianTest": "ibmap.independence.bayesian",
    "ChiSquareTest": "ibmap.independence.classical",
    "Confidence": "ibmap.confidence",
    "EncodedTable": "ibmap.data.table",
    "GSMN": "ibmap.learners.estimators",
    "IAMB": "ibmap.learners.estimators",
    "HITON": "ibmap.learners.estimators",
    "GSMNStar": "ibmap.learners.estimators",
    "GSIMN": "ibmap.learners.estimators",
    "GTest": "ibmap.independence.classical",
    "GroupComparison": "ibmap.learners.groups",
    "IBMAP": "ibmap.learners.estimators",
    "IBMAPHC": "ibmap.learners.estimators",
    "IBMAPTS": "ibmap.learners.estimators",
    "MarkovGraph": "ibmap.graph",
    "MarkovNetwork": "ibmap.model",
    "PairwiseTest": "ibmap.independence.pairwise",
    "PartialCorrelationTest": "ibmap.independence.partial_correlation",
    "NetworkClassifier": "ibmap.model.classifier",
    "SearchResult": "ibmap.result",
    "SeparationTest": "ibmap.independence.separation",
    "StopSearch": "ibmap.errors",
    "blanket_closure": "ibmap.graph.closure",
    "closure_score": "ibmap.score",
    "compare_groups": "ibmap.learners.groups",
    "encode": "ibmap.data.encoding",
    "ib_score": "ibmap.score",
    "pairwise_closure": "ibmap.graph.closure",
}
_MODULES = ("datasets", "metrics", "plotting", "report", "simulate")

__all__ = [
    "GSIMN",
    "GSMN",
    "HITON",
    "IAMB",
    "IBMAP",
    "IBMAPHC",
    "IBMAPTS",
    "Assertion",
    "AveragedTest",
    "BayesianTest",
    "ChiSquareTest",
    "Confidence",
    "EncodedTable",
    "GSMNStar",
    "GTest",
    "GroupComparison",
    "MarkovGraph",
    "MarkovNetwork",
    "NetworkClassifier",
    "PairwiseTest",
    "PartialCorrelationTest",
    "SearchResult",
    "SeparationTest",
    "StopSearch",
    "blanket_closure",
    "closure_score",
    "compare_groups",
    "datasets",
    "encode",
    "ib_score",
    "metrics",
    "pairwise_closure",
    "plotting",
    "report",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name in _MODULES:
        return importlib.import_module(f"ibmap.{name}")
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    msg = f"module 'ibmap' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*__all__, "__version__"])
