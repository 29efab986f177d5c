"""The regression of small tables and of relations, against the definition by differences."""

import numpy as np
import pytest

from ibmap.independence.numpy_fit import DENSE, Regression, features, link_prior

SIZES = [(2, 1, 2), (3, 2, 9), (4, 3, 40), (5, 4, 300)]


def regression(n_states, n_members, n_cells, seed):
    """A regression on members of so many states, with few data points in each cell."""
    rng = np.random.default_rng(seed)
    states = rng.integers(0, n_states, (n_members, n_cells))
    z = np.concatenate([features(n_states, False)[own] for own in states], axis=1)
    f = features(n_states, False)
    width, first = z.shape[1], n_states - 1
    precision = link_prior(n_states, False, n_states, False)[0].reshape(first, first, first, first)
    slopes = np.zeros((first, width, first, width))
    for k in range(n_members):
        here = slice(k * first, (k + 1) * first)
        slopes[:, here, :, here] = precision
    prior = np.zeros((first + first * width,) * 2)
    prior[first:, first:] = slopes.reshape(first * width, -1)
    return Regression(rng.integers(0, 4, (n_cells, n_states)) + 0.0, f, z, prior)


@pytest.mark.parametrize(
    ("n_states", "n_members", "n_cells"), [(2, 1, 2), (3, 2, 9), (4, 3, 40), (5, 4, 300)]
)
def test_gradient_and_curvature_are_the_derivatives_of_the_log_posterior(n_states, n_members, n_cells):
    own = regression(n_states, n_members, n_cells, seed=n_cells)
    rng = np.random.default_rng(1)
    theta = rng.normal(0, 0.3, len(own.prior))
    gradient, hessian = own._derivatives(theta, own._evaluate(theta)[1])
    step = 1e-5
    for _ in range(5):
        toward = rng.normal(size=len(theta))
        ahead, behind = theta + step * toward, theta - step * toward
        slope = (own._evaluate(ahead)[0] - own._evaluate(behind)[0]) / (2 * step)
        assert slope == pytest.approx(gradient @ toward, rel=1e-6, abs=1e-6)
        change = [own._derivatives(each, own._evaluate(each)[1])[0] for each in (ahead, behind)]
        np.testing.assert_allclose(
            (change[1] - change[0]) / (2 * step), hessian @ toward, rtol=1e-5, atol=1e-5
        )


def test_sparse_products_of_columns_are_the_dense_ones():
    own = regression(5, 4, 300, seed=3)
    assert own.z.shape[0] * own.z.shape[1] ** 2 > DENSE
    dense = (own.z[:, :, None] * own.z[:, None, :]).reshape(len(own.z), -1).T
    assert (own._pairs.toarray() == dense).all()
