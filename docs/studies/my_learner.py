"""Join two variables if their mutual information is beyond chance: a learner to beat."""

import numpy as np
from scipy.stats import chi2_contingency


def learn(codes):
    """Give the adjacency matrix of all pairs with a p-value under one in a thousand."""
    n = codes.shape[1]
    adjacency = np.zeros((n, n), bool)
    for x in range(n):
        for y in range(x + 1, n):
            counts = np.zeros((codes[:, x].max() + 1, codes[:, y].max() + 1))
            np.add.at(counts, (codes[:, x], codes[:, y]), 1)
            if min(counts.shape) > 1:
                adjacency[x, y] = adjacency[y, x] = (
                    chi2_contingency(counts, lambda_="log-likelihood")[1] < 0.001
                )
    return adjacency
