"""
A survey: from a table to its network
=====================================

Two thousand made-up answers to ten questions, drawn from a network that is known. What is learned, how
sure it is, and what it says of one variable.
"""

import ibmap
from ibmap.plotting import plot_comparison, plot_evidence, plot_network

survey = ibmap.datasets.load_survey()
learner = ibmap.IBMAP().fit(survey)
plot_network(learner.result_, title="A health survey")

# %%
# Lines join variables that depend on each other even when all others are known. Their width is the strength of the relation.
# How sure is each?

learner.confidence()  # the result knows it from now on
plot_evidence(learner.result_, title="Present, and undecided")

# %%
# One pair is undecided. In the network the table was drawn from it is not joined:

from ibmap.datasets.demo import demo_network

plot_comparison(learner.result_, demo_network().graph, title="Learned, and the truth")
