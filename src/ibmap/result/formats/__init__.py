"""Networks to files and back, in the formats described in ``docs/format.md``."""

from ibmap.result.formats.formats import (
    NETWORK_SUFFIXES,
    Network,
    as_result,
    edge_chances,
    edge_relations,
    edge_shares,
    edge_weights,
    graph_of,
    weight_matrix,
)
from ibmap.result.formats.reading import is_network_file, read_network
from ibmap.result.formats.writing import check_writable, write_network

__all__ = [
    "NETWORK_SUFFIXES",
    "Network",
    "as_result",
    "check_writable",
    "edge_chances",
    "edge_relations",
    "edge_shares",
    "edge_weights",
    "graph_of",
    "is_network_file",
    "read_network",
    "weight_matrix",
    "write_network",
]
