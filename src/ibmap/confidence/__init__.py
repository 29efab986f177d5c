"""How sure each edge is: exact sums over structures, chains over structures, resampled rows.

`confidence` is what users get; `posterior` chooses between `exact` (by `contraction`) and `sampling` (by
`chain`); `bootstrap` learns again from resampled rows; `calibration` says at which temperature
probabilities mean what they say.
"""

from ibmap.result.confidence import Confidence

__all__ = ["Confidence"]
