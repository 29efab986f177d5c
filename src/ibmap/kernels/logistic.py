"""Fit a variable's states to the states of others: multinomial logistic regression on cells.

The rows are grouped into cells that share the same predictors. A response of r
states has r - 1 intercepts (state 0 is the base). Its *features* are the indicators
of states 1 .. r - 1 and, for ordered states, one score 0 .. r - 1; a slope belongs to a feature
and a column of the design. In a cell each predictor has at most one column that is not zero,
so only few parameters are *active* there, and loops go over these.

The prior is a normal one on slopes. It penalises effects centred over the states of
both variables, so that it does not matter which state is the base.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel

MAX_STEPS = 200
SMALLEST = 1e-60  # share of a Newton step
LAST_STEP = 1e-11  # a Newton step that promises less than this is the last
NOTHING = 1e-26  # one that promises less than this is not taken
SAFE = 1e-6  # a step that promises less than this cannot overshoot


@kernel
def moments(p, is_ordered, mean, covariance):
    """Give mean and covariance of a variable's slope features from the probabilities of its states.

    p: IN. mean, covariance: OUT.
    """
    if is_ordered:
        mean[0], square = 0.0, 0.0
        for s in range(1, p.shape[0]):
            mean[0] += s * p[s]
            square += s * s * p[s]
        covariance[0, 0] = square - mean[0] * mean[0]
        return
    for i in range(p.shape[0] - 1):
        mean[i] = p[i + 1]
        for j in range(p.shape[0] - 1):
            covariance[i, j] = (p[i + 1] if i == j else 0.0) - p[i + 1] * p[j + 1]


@kernel
def with_intercepts(p, is_ordered, covariance):
    """Give the covariance of all features of a response: indicators, and the score if it is ordered."""
    r = p.shape[0]
    score = 0.0
    for i in range(r - 1):
        score += (i + 1) * p[i + 1]
        for j in range(r - 1):
            covariance[i, j] = (p[i + 1] if i == j else 0.0) - p[i + 1] * p[j + 1]
    if is_ordered:
        square = 0.0
        for i in range(r - 1):
            square += (i + 1) * (i + 1) * p[i + 1]
            covariance[i, r - 1] = p[i + 1] * (i + 1 - score)
            covariance[r - 1, i] = covariance[i, r - 1]
        covariance[r - 1, r - 1] = square - score * score


@kernel
def list_active(columns, values, width, r, is_ordered, parameters, features, factors):
    """List the parameters that matter in a cell; give how many.

    columns, values: IN, the column that each predictor has there (-1 for none), and its entry.
    width: IN, columns of all predictors. parameters, features, factors: OUT, of each parameter.
    """
    k = 0
    for s in range(r - 1):
        parameters[k], features[k], factors[k] = s, s, 1.0
        k += 1
    first = r - 1 if is_ordered else 0
    for a in range(columns.shape[0]):
        if columns[a] >= 0:
            for d in range(1 if is_ordered else r - 1):
                parameters[k] = r - 1 + d * width + columns[a]
                features[k], factors[k] = first + d, values[a]
                k += 1
    return k


@kernel
def predict(theta, n_active, parameters, features, factors, eta, p):
    """Write the probabilities of a cell's states; give what to take from eta for their logarithms.

    eta: OUT, linear predictors. p: OUT.
    """
    r = p.shape[0]
    for s in range(r):
        eta[s] = 0.0
    for k in range(n_active):
        effect = theta[parameters[k]] * factors[k]
        if features[k] < r - 1:
            eta[features[k] + 1] += effect
        else:
            for s in range(1, r):
                eta[s] += s * effect
    top = 0.0
    for s in range(1, r):
        top = max(top, eta[s])
    norm = 0.0
    for s in range(r):
        p[s] = math.exp(eta[s] - top)
        norm += p[s]
    for s in range(r):
        p[s] /= norm
    return top + math.log(norm)


@kernel
def add_prior(theta, prior, gradient, hessian):
    """Give the log prior density; begin the gradient and minus the Hessian (lower triangle) with its own."""
    total = 0.0
    for k in range(theta.shape[0]):
        pull = 0.0
        for j in range(theta.shape[0]):
            pull += prior[k, j] * theta[j]
        gradient[k] = -pull
        total -= 0.5 * pull * theta[k]
        for j in range(k + 1):
            hessian[k, j] = prior[k, j]
    return total


@kernel
def evaluate(theta, states, columns, values, width, is_ordered, prior, gradient, hessian, probabilities):
    """Give the log posterior, its gradient and minus its Hessian (lower triangle).

    states: IN, data points of each cell in each state. columns, values: IN, by cell. prior: IN, its
    precision. probabilities: OUT, of the states in each cell.
    """
    n_cells, r = states.shape
    n_features = r if is_ordered else r - 1
    size = r - 1 + columns.shape[1] * (1 if is_ordered else r - 1)
    parameters, features = np.empty(size, np.int64), np.empty(size, np.int64)
    factors, eta, residual = np.empty(size), np.empty(r), np.zeros(n_features)
    covariance = np.empty((n_features, n_features))
    total = add_prior(theta, prior, gradient, hessian)
    for c in range(n_cells):
        n_active = list_active(columns[c], values[c], width, r, is_ordered, parameters, features, factors)
        p = probabilities[c]
        log_norm = predict(theta, n_active, parameters, features, factors, eta, p)
        with_intercepts(p, is_ordered, covariance)
        n, score = 0.0, 0.0
        for s in range(r):
            n += states[c, s]
            total += states[c, s] * (eta[s] - log_norm)
        for s in range(1, r):
            residual[s - 1] = states[c, s] - n * p[s]
            score += s * residual[s - 1]
        if is_ordered:
            residual[r - 1] = score
        for k in range(n_active):
            i, f, scale = parameters[k], features[k], n * factors[k]
            gradient[i] += residual[f] * factors[k]
            for other in range(k + 1):
                j = parameters[other]
                value = scale * covariance[f, features[other]] * factors[other]
                hessian[max(i, j), min(i, j)] += value
    return total


@kernel
def cholesky(matrix, lower):
    """Factor a positive definite matrix given by its lower triangle.

    lower: OUT. A pivot that rounding made zero is replaced by a tiny one. Inner loops run along rows, so that
    the processor takes several entries at once.
    """
    m = matrix.shape[0]
    upper = np.empty((m, m))  # lower, transposed
    for i in range(m):
        row = lower[i]
        for j in range(i + 1):
            row[j] = matrix[i, j]
        for k in range(i):
            row[k] /= lower[k, k]
            upper[k, i] = row[k]
            for j in range(k + 1, i + 1):
                row[j] -= row[k] * upper[k, j]
        row[i] = math.sqrt(max(row[i], 1e-14 * matrix[i, i] + 1e-300))


@kernel
def forward(lower, vector):
    """Solve lower x = vector in place."""
    for i in range(vector.shape[0]):
        s = vector[i]
        for k in range(i):
            s -= lower[i, k] * vector[k]
        vector[i] = s / lower[i, i]


@kernel
def forward_by_columns(upper, begin, vector):
    """Do the same for a matrix given transposed; entries before `begin` are zero. Faster for large ones."""
    for k in range(begin, vector.shape[0]):
        vector[k] /= upper[k, k]
        for i in range(k + 1, vector.shape[0]):
            vector[i] -= upper[k, i] * vector[k]


@kernel
def backward(lower, vector):
    """Solve lower' x = vector in place."""
    for i in range(vector.shape[0] - 1, -1, -1):
        s = vector[i]
        for k in range(i + 1, vector.shape[0]):
            s -= lower[k, i] * vector[k]
        vector[i] = s / lower[i, i]


@kernel
def fit(theta, states, columns, values, width, is_ordered, prior, lower, probabilities):
    """Find the mode by Newton's method with halved steps; give the log posterior.

    theta: IN, where to begin, and OUT. lower: OUT, the factor of minus the Hessian there.
    probabilities: OUT, of the states in each cell.
    """
    m = theta.shape[0]
    gradient, hessian, step, tried = np.empty(m), np.empty((m, m)), np.empty(m), np.empty(m)
    promise, size, best, n_steps = 0.0, 0.0, -np.inf, 0
    for k in range(m):
        tried[k] = theta[k]
    while n_steps < MAX_STEPS:
        value = evaluate(
            tried, states, columns, values, width, is_ordered, prior, gradient, hessian, probabilities
        )
        if promise > SAFE and not value >= best and size > SMALLEST:
            size *= 0.5  # too far
        else:
            n_steps += 1
            best = value
            for k in range(m):
                theta[k] = tried[k]
            cholesky(hessian, lower)
            if 0.0 < promise < LAST_STEP:
                break
            for k in range(m):
                step[k] = gradient[k]
            forward(lower, step)
            promise, size = 0.0, 1.0
            for k in range(m):
                promise += step[k] * step[k]
            if promise < NOTHING:
                break
            backward(lower, step)
        for k in range(m):
            tried[k] = theta[k] + size * step[k]
    return best
