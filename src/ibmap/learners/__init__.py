"""The learners as plain functions: an encoded table and options in, a result out.

The scikit-learn estimators and the command line both call these. Names are loaded on first use: the
command line shows its options without loading any learner.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ibmap.learners.blankets import learn_gsimn, learn_gsmn, learn_gsmn_star, learn_hiton, learn_iamb
    from ibmap.learners.family import (
        learn_beam,
        learn_bjp,
        learn_hhc,
        learn_mpl,
        learn_pfmn,
        learn_pic,
        learn_restarts,
    )
    from ibmap.learners.hill_climbing import learn_hc
    from ibmap.learners.learners import LEARNERS, Learner
    from ibmap.learners.options import (
        BeamOptions,
        GSMNOptions,
        HeuristicOptions,
        HillClimbingOptions,
        HITONOptions,
        IAMBOptions,
        JointOptions,
        LearnerOptions,
        MarginalOptions,
        ParticleOptions,
        PenalisedOptions,
        RecommendedOptions,
        RestartOptions,
        ScoreOptions,
        TestOptions,
        TreeSearchOptions,
    )
    from ibmap.learners.recommended import learn_recommended
    from ibmap.learners.tree_search import learn_ts

__all__ = [
    "LEARNERS", "BeamOptions", "GSMNOptions", "HITONOptions", "HeuristicOptions", "HillClimbingOptions",
    "IAMBOptions", "JointOptions", "Learner", "LearnerOptions", "MarginalOptions", "ParticleOptions",
    "PenalisedOptions", "RecommendedOptions", "RestartOptions", "ScoreOptions", "TestOptions",
    "TreeSearchOptions", "learn_beam", "learn_bjp", "learn_gsimn", "learn_gsmn", "learn_gsmn_star",
    "learn_hc", "learn_hhc", "learn_hiton", "learn_iamb", "learn_mpl", "learn_pfmn", "learn_pic",
    "learn_recommended", "learn_restarts", "learn_ts",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Load a name on first use."""
    if name not in __all__:
        msg = f"module 'ibmap.learners' has no attribute {name!r}"
        raise AttributeError(msg)
    home = "options" if name.endswith("Options") else "learners"
    return getattr(importlib.import_module(f"ibmap.learners.{home}"), name)
