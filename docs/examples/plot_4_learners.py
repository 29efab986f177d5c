"""
Learners compared on sampled data
=================================

Random networks whose truth is known, samples of growing size, and the wrong edges of each learner: those missing and
those too many. A small version of the paper's study; ``ibmap reproduce`` runs all of it.
"""

import matplotlib.pyplot as plt
import numpy as np

import ibmap
from ibmap.metrics import edge_hamming
from ibmap.simulate import random_network

LEARNERS = {
    "IBMAP": ibmap.IBMAP(),
    "GSMN": ibmap.GSMN(),
    "IBMAP-HC": ibmap.IBMAPHC(),
}
SIZES = (40, 200, 800, 5000)
N_NETWORKS = 5

wrong = {name: np.zeros((len(SIZES), N_NETWORKS)) for name in LEARNERS}
for k in range(N_NETWORKS):
    network = random_network(12, tau=2, random_state=k)
    rows = network.sample(max(SIZES), random_state=k)
    for row, size in enumerate(SIZES):
        for name, learner in LEARNERS.items():
            wrong[name][row, k] = edge_hamming(learner.fit(rows[:size]).result_.graph, network.graph)

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, counts in wrong.items():
    ax.plot(SIZES, counts.mean(axis=1), marker="o", label=name)
ax.set_xscale("log")
ax.set_xticks(SIZES, [f"{size:,}" for size in SIZES])
ax.minorticks_off()
ax.set_xlabel("rows")
ax.set_ylabel("wrong edges of 12")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
