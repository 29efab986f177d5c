"""Fit a variable's states to the states of others: multinomial logistic regression on cells.

The rows are grouped into cells that share the same predictors. A response of r
states has r - 1 intercepts (state 0 is the base). Its *features* are the indicators
of states 1 .. r - 1 or, for ordered states, one score 0 .. r - 1; parameter (feature,
column) is the slope of a feature on a column of the design. Column 0 is constant.

The prior is a normal one on slopes. It penalises effects centred over the states of
both variables, so that it does not matter which state is the base.
"""

import numpy as np

from ibmap.kernels.compiling import inlined, inner

MAX_STEPS = 200
MAX_HALVINGS = 200
LAST_STEP = 1e-11  # a Newton step that promises less than this is the last
NOTHING = 1e-26  # one that promises less than this is not taken
SAFE = 1e-6  # a step that promises less than this cannot overshoot


@inlined
def n_scores(n_states, is_ordered):
    """Count the columns (or slope features) of a variable."""
    return min(1, n_states - 1) if is_ordered else n_states - 1


@inlined
def score_of(is_ordered, state, column):
    """Give the entry of a variable's design column for one of its states but the first, from 0."""
    if is_ordered:
        return state + 1.0
    return 1.0 if state == column else 0.0


@inlined
def centred(n_states, is_ordered, i, j):
    """Give an entry of the form that measures centred effects: sum over states of (effect - mean)^2."""
    if is_ordered:
        return n_states * (n_states * n_states - 1.0) / 12.0
    return (1.0 if i == j else 0.0) - 1.0 / n_states


@inner
def list_parameters(n_states, is_ordered, n_columns, features, columns):
    """List the parameters: the intercepts, then for each feature its slopes.

    features, columns: OUT, of each parameter. An ordered response's score is feature n_states - 1.
    """
    n_intercepts = n_states - 1
    for s in range(n_intercepts):
        features[s] = s
        columns[s] = 0
    first = n_intercepts if is_ordered else 0
    k = n_intercepts
    for d in range(n_scores(n_states, is_ordered)):
        for q in range(1, n_columns):
            features[k] = first + d
            columns[k] = q
            k += 1


@inner
def moments(probabilities, is_ordered, mean, covariance):
    """Give mean and covariance of a response's features from the probabilities of its states.

    probabilities: IN. mean, covariance: OUT.
    """
    r = probabilities.shape[0]
    for i in range(r - 1):
        mean[i] = probabilities[i + 1]
        for j in range(r - 1):
            covariance[i, j] = -probabilities[i + 1] * probabilities[j + 1]
        covariance[i, i] += probabilities[i + 1]
    if is_ordered:
        score, square = 0.0, 0.0
        for s in range(1, r):
            score += s * probabilities[s]
            square += s * s * probabilities[s]
        mean[r - 1] = score
        covariance[r - 1, r - 1] = square - score * score
        for i in range(r - 1):
            covariance[i, r - 1] = probabilities[i + 1] * (i + 1 - score)
            covariance[r - 1, i] = covariance[i, r - 1]


@inner
def add_binary_cells(theta, states, design, gradient, hessian, probabilities):
    """Give the log likelihood of a binary response; add its gradient and minus its Hessian."""
    m = theta.shape[0]
    total = 0.0
    for c in range(states.shape[0]):
        z, p = design[c], probabilities[c]
        t = 0.0
        for k in range(m):
            t += theta[k] * z[k]
        n = states[c, 0] + states[c, 1]
        e = np.exp(-abs(t))
        total += states[c, 1] * t - n * (max(t, 0.0) + np.log1p(e))
        larger = 1.0 / (1.0 + e)
        p[1] = larger if t >= 0 else e * larger
        p[0] = e * larger if t >= 0 else larger
        off = states[c, 1] * p[0] - states[c, 0] * p[1]
        weight = n * p[0] * p[1]
        for k in range(m):
            gradient[k] += off * z[k]
            scaled = weight * z[k]
            if scaled != 0.0:
                for j in range(k + 1):
                    hessian[k, j] += scaled * z[j]
    return total


@inner
def predict(theta, z, is_ordered, features, columns, eta, p):
    """Write the probabilities of a cell's states; return what to take from eta for their logarithms.

    z: IN, the cell's design. eta: OUT, linear predictors. p: OUT.
    """
    r = p.shape[0]
    for s in range(r):
        eta[s] = 0.0
    for k in range(theta.shape[0]):
        f, effect = features[k], theta[k] * z[columns[k]]
        if f < r - 1:
            eta[f + 1] += effect
        else:
            for s in range(1, r):
                eta[s] += s * effect
    top = 0.0
    for s in range(1, r):
        top = max(top, eta[s])
    norm = 0.0
    for s in range(r):
        p[s] = np.exp(eta[s] - top)
        norm += p[s]
    for s in range(r):
        p[s] /= norm
    return top + np.log(norm)


@inner
def residuals(counts, n, p, is_ordered, residual):
    """Write what was seen of each feature of the response beyond what was expected."""
    r = p.shape[0]
    for f in range(r - 1):
        residual[f] = counts[f + 1] - n * p[f + 1]
    if is_ordered:
        residual[r - 1] = 0.0
        for s in range(1, r):
            residual[r - 1] += s * residual[s - 1]


@inner
def add_cells(theta, states, design, is_ordered, features, columns, gradient, hessian, probabilities):
    """Give the log likelihood of any response; add its gradient and minus its Hessian."""
    n_cells, r = states.shape
    n_features = r if is_ordered else r - 1
    eta, mean, residual = np.empty(r), np.empty(n_features), np.empty(n_features)
    covariance = np.empty((n_features, n_features))
    total = 0.0
    for c in range(n_cells):
        z = design[c]
        log_norm = predict(theta, z, is_ordered, features, columns, eta, probabilities[c])
        n = 0.0
        for s in range(r):
            n += states[c, s]
            total += states[c, s] * (eta[s] - log_norm)
        moments(probabilities[c], is_ordered, mean, covariance)
        residuals(states[c], n, probabilities[c], is_ordered, residual)
        for k in range(theta.shape[0]):
            scaled = n * z[columns[k]]
            if scaled != 0.0:
                gradient[k] += residual[features[k]] * z[columns[k]]
                for j in range(k + 1):
                    hessian[k, j] += scaled * covariance[features[k], features[j]] * z[columns[j]]
    return total


@inner
def add_prior(theta, prior, gradient, hessian):
    """Give the log prior density; add its gradient and minus its Hessian."""
    total = 0.0
    for k in range(theta.shape[0]):
        pull = 0.0
        for j in range(theta.shape[0]):
            pull += prior[k, j] * theta[j]
        gradient[k] -= pull
        total -= 0.5 * pull * theta[k]
        for j in range(k + 1):
            hessian[k, j] += prior[k, j]
    return total


@inner
def evaluate(theta, states, design, is_ordered, features, columns, prior, gradient, hessian, probabilities):
    """Give the log posterior, its gradient and minus its Hessian (lower triangle).

    theta: IN. states: IN, data points of each cell in each state. design: IN. prior: IN, its
    precision. gradient, hessian, probabilities: OUT.
    """
    for k in range(theta.shape[0]):
        gradient[k] = 0.0
        for j in range(k + 1):
            hessian[k, j] = 0.0
    if states.shape[1] == 2:
        total = add_binary_cells(theta, states, design, gradient, hessian, probabilities)
    else:
        total = add_cells(
            theta, states, design, is_ordered, features, columns, gradient, hessian, probabilities
        )
    return total + add_prior(theta, prior, gradient, hessian)


@inner
def cholesky(matrix, lower):
    """Factor a positive definite matrix given by its lower triangle.

    matrix: IN. lower: OUT. A pivot that rounding made zero is replaced by a tiny one.
    """
    for i in range(matrix.shape[0]):
        for j in range(i + 1):
            s = matrix[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, i] = np.sqrt(max(s, 1e-14 * matrix[i, i] + 1e-300))
            else:
                lower[i, j] = s / lower[j, j]


@inner
def forward(lower, vector):
    """Solve lower x = vector in place."""
    for i in range(vector.shape[0]):
        s = vector[i]
        for k in range(i):
            s -= lower[i, k] * vector[k]
        vector[i] = s / lower[i, i]


@inner
def backward(lower, vector):
    """Solve lower' x = vector in place."""
    for i in range(vector.shape[0] - 1, -1, -1):
        s = vector[i]
        for k in range(i + 1, vector.shape[0]):
            s -= lower[k, i] * vector[k]
        vector[i] = s / lower[i, i]


@inner
def fit(theta, states, design, is_ordered, features, columns, prior, lower, probabilities):
    """Find the mode by Newton's method with halved steps; give the log posterior.

    theta: IN, where to begin, and OUT. lower: OUT, the factor of minus the Hessian there.
    probabilities: OUT, of the states in each cell.
    """
    m = theta.shape[0]
    gradient, hessian, step, begin = np.empty(m), np.empty((m, m)), np.empty(m), np.empty(m)
    best = evaluate(
        theta, states, design, is_ordered, features, columns, prior, gradient, hessian, probabilities
    )
    for _ in range(MAX_STEPS):
        cholesky(hessian, lower)
        for k in range(m):
            step[k] = gradient[k]
        forward(lower, step)
        promise = 0.0
        for k in range(m):
            promise += step[k] * step[k]
        if promise < NOTHING:
            return best
        backward(lower, step)
        before = best
        for k in range(m):
            begin[k] = theta[k]
            theta[k] += step[k]
        best = evaluate(
            theta, states, design, is_ordered, features, columns, prior, gradient, hessian, probabilities
        )
        halvings = 0
        while promise > SAFE and not best >= before and halvings < MAX_HALVINGS:
            halvings += 1
            for k in range(m):
                step[k] *= 0.5
                theta[k] = begin[k] + step[k]
            best = evaluate(
                theta, states, design, is_ordered, features, columns, prior, gradient, hessian, probabilities
            )
        if promise < LAST_STEP:
            break
    cholesky(hessian, lower)
    return best
