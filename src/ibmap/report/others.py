"""Other probable networks: how they differ from the one that is shown."""

from __future__ import annotations

from collections.abc import Sequence

from ibmap.evidence.words import chance, listed
from ibmap.result import SearchResult

N_SHOWN = 5  # networks
CREDIBLE = 0.95  # probability of the numbers of edges that are told
LEAST = 0.01  # probability of a network worth telling

Row = tuple[str, str, str]  # probability, number of edges, what differs


def other_networks(result: SearchResult) -> tuple[str, tuple[Row, ...]]:
    """Say how probable the network shown is, and list the most probable others, if that is known."""
    sure = result.confidence
    if sure is None or not sure.structures:
        return "", ()
    shown = frozenset(result.graph.edges)
    known = [(each.probability, frozenset(each.edges)) for each in sure.structures]
    own = next((probability for probability, edges in known if edges == shown), 0.0)
    others = [(p, edges) for p, edges in known if edges != shown and p >= LEAST][:N_SHOWN]
    rows = tuple((chance(p), f"{len(edges):,}", _difference(result, edges)) for p, edges in others)
    about = f"{_of_the_network(own)} {_of_the_others(len(rows), own)} {_number_of_edges(sure.sizes)}"
    return about.rstrip(), rows


def _of_the_network(probability: float) -> str:
    """Say how probable the network shown is as a whole."""
    told = f"a probability of {chance(probability)}" if probability >= LEAST else "a probability below 0.01"
    return f"As a whole, with every pair as it is drawn, the network above has {told}."


def _of_the_others(n_shown: int, own: float) -> str:
    """Introduce the others, or say why there are none."""
    if n_shown:
        return "Below are the most probable others that were found, and where they differ from it."
    if own >= LEAST:
        return "No other that was found reaches 0.01."
    return "So has every other: believe the probabilities of single pairs rather than any one network."


def _number_of_edges(sizes: Sequence[tuple[int, float]]) -> str:
    """Say between which numbers of edges the true one lies, leaving out as much at either end."""
    if not sizes:
        return ""
    total = sum(share for _, share in sizes)
    below, least, most = 0.0, sizes[0][0], sizes[-1][0]
    for size, share in sizes:
        if below <= (1 - CREDIBLE) / 2 * total:
            least = size
        if below < (1 + CREDIBLE) / 2 * total:
            most = size
        below += share
    told = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"Over all networks, the number of edges is {told} with a probability of at least {CREDIBLE}."


def _difference(result: SearchResult, edges: frozenset[tuple[int, int]]) -> str:
    """Name the edges that another network has and lacks."""
    shown, names = frozenset(result.graph.edges), result.graph.names
    parts = []
    for word, pairs in (("with", edges - shown), ("without", shown - edges)):
        named = [f"{names[x]} — {names[y]}" for x, y in sorted(pairs)]
        if named:
            parts.append(f"{word} {listed(named)}")
    return "; ".join(parts)
