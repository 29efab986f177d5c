"""Pictures of networks with matplotlib: axes in, axes out.

Each function draws on the axes it is given, or on new ones, and returns them.
"""

from ibmap.plotting.comparison import plot_comparison
from ibmap.plotting.confidence import plot_evidence, plot_probabilities, plot_stability
from ibmap.plotting.groups import plot_groups
from ibmap.plotting.matrix import plot_matrix
from ibmap.plotting.network import plot_network
from ibmap.plotting.structures import plot_reliability, plot_sizes, plot_structures
from ibmap.plotting.trace import plot_trace

__all__ = [
    "plot_comparison",
    "plot_evidence",
    "plot_groups",
    "plot_matrix",
    "plot_network",
    "plot_probabilities",
    "plot_reliability",
    "plot_sizes",
    "plot_stability",
    "plot_structures",
    "plot_trace",
]
