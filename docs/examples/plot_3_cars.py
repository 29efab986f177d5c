"""
A factorial table: what has an effect in common
===============================================

The car evaluation data of the UCI repository list every combination of six attributes once, with a verdict given by
a rule of M. Bohanec. The attributes are independent of each other by design. What does a Markov network
make of it?
"""

import math

import ibmap
from ibmap.plotting import plot_network

cars = ibmap.datasets.car()
result = ibmap.IBMAP().fit(cars).result_
plot_network(result, title="Car evaluation")

# %%
# The attributes are independent, but not *given the verdict*: a car that is accepted and expensive is safe. So attributes
# that act together on the verdict are joined.

test = ibmap.AveragedTest(cars)
independent, _ = test.log_probabilities("buying", "safety")
given, _ = test.log_probabilities("buying", "safety", ["class"])
print(f"Pr(independent) = {math.exp(independent):.5f}; given the class {math.exp(given):.5f}")
