"""Whether an effect differs between groups, by the definition: row by row, in centred contrasts."""

import numpy as np

from oracles.naive_pairwise import Regression


def log_det(matrix):
    return float(np.linalg.slogdet(matrix)[1]) if matrix.size else 0.0


def log_factor(gradient, information, prior):
    """Log Bayes factor of effects with a quadratic log likelihood against none."""
    precision = information + prior
    square = float(gradient @ np.linalg.inv(precision) @ gradient) if gradient.size else 0.0
    return (square + log_det(prior) - log_det(precision)) / 2


def log_bayes_factor(groups, x, y, neighbours, precision):
    """Of an effect for each group against one for all; all states occur in each of the groups of rows."""
    total = 0.0
    for a, b in ((x, y), (y, x)):
        told = []
        for rows in groups:
            fit = Regression(rows, [1] * len(rows), a, neighbours[a], 1.0)
            _, information = fit.slope_moments(fit.theta, lambda row, state: np.zeros(0))
            block = np.ix_(fit.blocks[b], fit.blocks[b])
            own = np.linalg.inv(np.linalg.inv(information + fit.prior)[block])
            told.append((own @ fit.theta[fit.blocks[b]], own - fit.prior[block]))
        prior = precision * np.eye(len(told[0][0]))
        apart = sum(log_factor(g, j, prior) for g, j in told)
        total += apart - log_factor(sum(g for g, _ in told), sum(j for _, j in told), prior)
    return total / 2
