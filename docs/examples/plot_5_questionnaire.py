"""
A questionnaire with answers left out
=====================================

Six hundred made-up people answered twelve items from "never" to "always"; seven in a hundred answers are missing. Rows with
holes are used for what they do say.
"""

import ibmap
from ibmap.datasets.bundled import QUESTIONNAIRE
from ibmap.graph import MarkovGraph
from ibmap.plotting import plot_comparison

answers = ibmap.datasets.load_questionnaire()
print(f"{len(answers.drop_nulls())} of {len(answers)} rows have no hole")

names = answers.columns
edges = [
    sorted((names.index(item), names.index(source))) for item, of in QUESTIONNAIRE.items() for source in of
]
truth = MarkovGraph.from_edges(len(names), edges, names)

learner = ibmap.IBMAP().fit(answers)
plot_comparison(learner.result_, truth, title="All rows used")

# %%
# With the complete rows alone:

dropped = ibmap.IBMAP(missing="drop").fit(answers)
plot_comparison(dropped.result_, truth, title="Rows with holes left out")
