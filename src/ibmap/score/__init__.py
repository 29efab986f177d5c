"""The IB-score: by definition and locally, and its fast implementations."""

from ibmap.score.local import (
    LocalScore,
    TestScore,
    closure_score,
    exactly,
    flip_gain,
    flip_gains,
    ib_score,
    knowledge_of,
    local_score,
    total_score,
)

__all__ = [
    "LocalScore",
    "TestScore",
    "closure_score",
    "exactly",
    "flip_gain",
    "flip_gains",
    "ib_score",
    "knowledge_of",
    "local_score",
    "total_score",
]
