"""The kernels of Gibbs chains of networks, small enough to be run without compilation."""

import pytest

from effort import scaled
from simulate.test_simulate import binary_network, enumerated, fit_p_value, mixed_network


@pytest.mark.parametrize("make", [binary_network, mixed_network])
def test_chains_visit_states_as_often_as_they_are_probable(make):
    network = make()
    codes = network.sample(scaled(20000, 1000), method="gibbs", burn_in=20, thinning=10, random_state=3)
    assert fit_p_value(codes, enumerated(network)) > 1e-3
