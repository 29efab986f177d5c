"""How near two structures are, and means and ratios of errors over many of them."""

from ibmap.metrics.distances import (
    EdgeComparison,
    compare_edges,
    draw_triplets,
    edge_hamming,
    independence_hamming,
)
from ibmap.metrics.ratios import ErrorRatio, MeanInterval, error_ratio, mean_interval

__all__ = [
    "EdgeComparison",
    "ErrorRatio",
    "MeanInterval",
    "compare_edges",
    "draw_triplets",
    "edge_hamming",
    "error_ratio",
    "independence_hamming",
    "mean_interval",
]
