"""Thresholds by definition: a fine grid in the place of formulas."""

import numpy as np


def inclusion_threshold(frequencies, n_grid=2001):
    """Minimise the area between the law of the frequencies and a flat step, then read the quantile."""
    own = np.sort(frequencies[np.triu_indices(len(frequencies), 1)])
    grid = (np.arange(n_grid) + 0.5) / n_grid
    law = np.array([(own <= x).mean() for x in grid])
    levels = np.unique(np.append(law, 0.0))
    level = levels[np.argmin([abs(law - each).sum() for each in levels])]
    return next(x for x in own if (own <= x).mean() >= level - 1e-12)
