"""Where to draw the variables of a network, which belong together, and in which order to list them.

Matrices in, arrays out: pictures, pages and notebooks share it. The same graph gives the same places.
"""

from ibmap.graph.layout.groups import MANY, Weights, block_order, find_groups, group_colour
from ibmap.graph.layout.places import LAYOUTS, place
from ibmap.graph.layout.svg import network_html, network_svg

__all__ = [
    "LAYOUTS", "MANY", "Weights", "block_order", "find_groups", "group_colour", "network_html",
    "network_svg", "place",
]  # fmt: skip
