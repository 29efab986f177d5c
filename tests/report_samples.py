"""Results to draw and pages to open, made without learning."""

from dataclasses import replace

import numpy as np

from ibmap.evidence.pairs import PairEvidence
from ibmap.graph import MarkovGraph
from ibmap.result import SearchResult
from ibmap.result.confidence import Confidence
from ibmap.result.provenance import Provenance
from ibmap.search.hill_climbing import Flip

NAUGHTY = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<!-- <script> -->",
    "\"quotes\" & 'apostrophes' &amp; &lt;b&gt;",
    "<img src=x onerror='window.hacked = 3'>",
    "long " * 60,
    "עברית ثم العربية",
    "turned \u202e round",
    "🦊 family 👩‍👩‍👧",
    "line\nbreak\tand tab",
    "=cmd|'/c calc'!A1",
    "line\u2028separator",
    "__proto__",
    "${title} $style %s {0}",
    "",
)


def sample(n_variables=6, edges=((0, 1), (1, 2), (3, 4)), names=None, *, losses=None, **more):
    """A result with given edges; the loss of edge number k is 1.5 + 10 k, or as given."""
    graph = MarkovGraph.from_edges(n_variables, edges, names)
    losses = [1.5 + 10 * k for k in range(graph.n_edges)] if losses is None else losses
    joined = [PairEvidence(*edge, True, loss) for edge, loss in zip(graph.edges, losses, strict=True)]
    missing = [pair for pair in np.argwhere(~graph.adjacency).tolist() if pair[0] < pair[1]]
    apart = [PairEvidence(*pair, False, 0.25 + k) for k, pair in enumerate(missing[:4])]
    trace = tuple(Flip(*edge, k != 1, 1.0 + k, -50.0 + k) for k, edge in enumerate(graph.edges))
    settings = {
        "states": (("no", "yes"),) * n_variables,
        "provenance": Provenance("0.1.0", "hc", {"start": "gsmn", "prior": 0.5}, "abc123", 100, 7, 0.5),
        "n_tests": 1234,
        "score": -47.25,
        "n_ascents": len(trace),
        "n_iterations": len(trace) + 1,
        "start": "gsmn",
        "stopped": "optimum",
        "trace": trace,
        "evidence": tuple(sorted(joined, key=lambda pair: -pair.loss) + apart),
    } | more
    return SearchResult(graph, **settings)


def naughty():
    """A result whose names and labels try to be anything but text."""
    n = len(NAUGHTY)
    return sample(
        n, [(k, k + 1) for k in range(n - 1)], NAUGHTY, states=tuple((name, name + "!") for name in NAUGHTY)
    )


def ring(n_variables):
    """A ring with some chords, to fill a page."""
    edges = {(k, k + 1) for k in range(n_variables - 1)} | {(k, k + 7) for k in range(0, n_variables - 7, 5)}
    return sample(n_variables, sorted(edges))


def sure_sample(n_variables=6, method="sampled", **more):
    """A result with probabilities: the first edge present, the second undecided, one more pair undecided."""
    result = sample(n_variables, **more)
    probabilities = np.full((n_variables, n_variables), 0.02)
    for (x, y), p in {(0, 1): 0.99, (1, 2): 0.7, (3, 4): 0.95, (0, 5): 0.4}.items():
        probabilities[x, y] = probabilities[y, x] = p
    np.fill_diagonal(probabilities, 0.0)
    return replace(result, confidence=Confidence(result.graph.names, probabilities, method))


def crowd(n_variables=600, names=None):
    """A graph of rings of forty with hubs, a chain of bridges, some small parts, and some variables alone."""
    n = int(n_variables * 0.8)
    edges = {(k, k + 1) for k in range(n - 1) if (k + 1) % 40} | {
        (k - k % 40, k) for k in range(n) if k % 5 == 3
    }
    edges |= {(k - 3, k + 7) for k in range(40, n - 40, 40)}
    edges |= {(k, k + 1) for k in range(n, n + n_variables // 10, 2)}
    return MarkovGraph.from_edges(n_variables, sorted(edges), names)
