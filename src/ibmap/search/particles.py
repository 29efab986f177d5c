"""PFMN: a population of structures, weighted by the tests made so far, decides which test comes next.

D. Margaritis, F. Bromberg, "Efficient Markov network discovery using particle filters", Computational
Intelligence 25, 2009. A structure says of every triplet whether it is separated, so its posterior is its
prior times the product of the posteriors of what it says of the tests made. The next test is the one from a
pool of candidates that tells most: the entropy, in bits, of what the population says of it, or that by its
cost, which is the number of variables it involves. Weights that come to rest on few structures are
evened out by drawing the population anew, and Metropolis-Hastings moves, each a flip of one edge, make
copies differ.

Details left open, and the choices here, all options: a candidate is the test of a random pair given a
random part of the blanket (`pool="parts"`), or the blanket (`"blankets"`), that a structure of the population
has for one of the two. All structures (`prior="structures"`) or all numbers of edges (`"counts"`) are equally
likely at first. The population is drawn anew when its effective size falls under half. The search ends after
`patience` pools in a row that tell next to nothing, or at a limit; the answer is the most probable
structure of the population.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ibmap.graph import MarkovGraph
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.protocol import ProbabilisticTest, Triplet
from ibmap.progress import Callback, Monitor
from ibmap.search.found import Watch
from ibmap.search.limits import Limits

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
LOWEST_LOG = -1000.0  # of an impossible answer, so that a population without a possible structure can go on
LEAST_BITS = 0.01  # of information worth a test
CHOICES = ("information-by-cost", "information")
POOLS, PRIORS = ("parts", "blankets"), ("structures", "counts")


@dataclass(frozen=True)
class Filtering:
    """How PFMN filters."""

    n_particles: int = 100
    n_candidates: int = 50
    n_moves: int = 20
    choice: str = "information-by-cost"
    prior: str = "structures"
    pool: str = "parts"
    patience: int = 5
    max_tests: int | None = None


class Filtered(NamedTuple):
    """The most probable structure, its log posterior up to a constant, tests, their cost, why it ended."""

    graph: MarkovGraph
    log_posterior: float
    tests: tuple[Triplet, ...]
    cost: int
    stopped: str


def particle_filter(
    test: ProbabilisticTest,
    rng: np.random.Generator,
    filtering: Filtering | None = None,
    *,
    limits: Limits | None = None,
    callback: Callback | Monitor | None = None,
    knowledge: Knowledge | None = None,
) -> Filtered:
    """Learn a structure with PFMN, of those that agree with what is known."""
    how, watch = filtering or Filtering(), Watch(limits, callback)
    known = knowledge or Knowledge(test.names)
    population, tests = Population(known, how, rng), Tests(test.n_variables)
    n_idle, stopped = 0, "finished"
    while n_idle < how.patience and known.open_pairs.any():
        if how.max_tests is not None and len(tests.triplets) >= how.max_tests:
            stopped = "max_tests"
            break
        if (ended := watch.stop(0)) is not None:
            stopped = ended
            break
        chosen = _next_test(population, tests, how)
        n_idle = 0 if chosen is not None else n_idle + 1
        if chosen is not None:
            test.ask_triplet(chosen)
            tests.add(chosen, *test.log_posteriors(chosen))
            population.weigh(tests)
            watch.monitor.tell("asking", len(tests.triplets), n_tests=len(tests.triplets))
    best, log_posterior = population.best(tests)
    graph = MarkovGraph(best, test.names)
    return Filtered(graph, log_posterior, tuple(tests.triplets), cost_of(tests.triplets), stopped)


def cost_of(triplets: list[Triplet] | tuple[Triplet, ...] | frozenset[Triplet]) -> int:
    """Add up how many variables tests involve, PFMN's measure of what they cost."""
    return sum(2 + len(triplet.given) for triplet in triplets)


class Tests:
    """Tests made, with the log posteriors of both answers; or candidates, without."""

    __test__ = False  # not a test case, whatever its name begins with

    def __init__(self, n_variables: int) -> None:
        self._n = n_variables
        self.triplets: list[Triplet] = []
        self.known: set[Triplet] = set()
        self._orders, self._sizes = np.zeros((16, n_variables), np.int64), np.zeros(16, np.int64)
        self._logs = np.zeros((2, 16))

    def add(self, triplet: Triplet, independent: float = 0.0, dependent: float = 0.0) -> None:
        """Take note of a test in canonical form."""
        k = len(self.triplets)
        if k == len(self._sizes):
            self._orders, self._sizes = np.tile(self._orders, (2, 1)), np.tile(self._sizes, 2)
            self._logs = np.tile(self._logs, 2)
        row = (triplet.x, triplet.y, *triplet.given)
        self._orders[k, : len(row)], self._sizes[k] = row, len(triplet.given)
        self._logs[:, k] = max(independent, LOWEST_LOG), max(dependent, LOWEST_LOG)
        self.triplets.append(triplet)
        self.known.add(triplet)

    def said(self, words: NDArray[np.uint64]) -> Bools:
        """Tell what each structure says: whether each triplet is separated."""
        from ibmap.kernels.separation import separations

        n_tests = len(self.triplets)
        found = np.zeros((len(words), n_tests), bool)
        orders, sizes = self._orders[:n_tests], self._sizes[:n_tests]
        scratch = np.zeros((2, words.shape[2]), np.uint64)
        for neighbours, row in zip(words, found, strict=True):
            separations(neighbours, orders, sizes, scratch, row)
        return found

    def newest_logs(self, said: Bools) -> Floats:
        """Give the log posteriors of what structures say of the newest test."""
        independent, dependent = self._logs[:, len(self.triplets) - 1]
        return np.asarray(np.where(said, independent, dependent))

    def logs_of(self, said: Bools) -> Floats:
        """Give the log posteriors of what structures say of each test."""
        independent, dependent = self._logs[:, : said.shape[1]]
        return np.asarray(np.where(said, independent, dependent))


class Population:
    """Structures with weights."""

    def __init__(self, knowledge: Knowledge, how: Filtering, rng: np.random.Generator) -> None:
        n_variables = len(knowledge.names)
        self._how, self._rng, self._n = how, rng, n_variables
        self._pairs = np.array(np.nonzero(np.triu(knowledge.open_pairs, 1)))
        n_pairs, is_even = self._pairs.shape[1], how.prior == "structures"
        self._log_priors = np.zeros(n_pairs + 1) if is_even else _log_priors(n_pairs)
        adjacency = np.zeros((how.n_particles, n_variables, n_variables), bool)
        density = 0.5 if is_even else rng.random((how.n_particles, 1))
        drawn = rng.random((how.n_particles, n_pairs)) < density
        adjacency[:, self._pairs[0], self._pairs[1]] = drawn
        required = knowledge.applied(np.zeros((n_variables, n_variables), bool))
        self.adjacency: Bools = adjacency | adjacency.transpose(0, 2, 1) | required
        self._words = _packed(self.adjacency)
        self._log_weights = np.zeros(how.n_particles)

    @property
    def weights(self) -> Floats:
        """The weights, which sum to one."""
        shifted = np.exp(self._log_weights - self._log_weights.max())
        return np.asarray(shifted / shifted.sum())

    def candidates(self, tests: Tests) -> Tests:
        """Draw tests that have not been made, each given a blanket of some structure."""
        pool = Tests(self._n)
        size = self._how.n_candidates
        drawn = self._rng.choice(len(self.adjacency), size, p=self.weights)
        pairs, sides = self._rng.integers(self._pairs.shape[1], size=size), self._rng.random(size) < 0.5
        for particle, pair, is_second in zip(drawn.tolist(), pairs.tolist(), sides.tolist(), strict=True):
            x, y = self._pairs[::-1, pair] if is_second else self._pairs[:, pair]
            blanket = np.flatnonzero(self.adjacency[particle, x])
            given = [int(z) for z in blanket if z != y]
            if self._how.pool == "parts":
                size = int(self._rng.integers(len(given) + 1))
                given = self._rng.permutation(given)[:size].tolist()
            triplet = Triplet(int(x), int(y), tuple(given)).canonical()
            if triplet not in tests.known and triplet not in pool.known:
                pool.add(triplet)
        return pool

    def information(self, pool: Tests) -> Floats:
        """Give the entropy, in bits, of what the population says of each candidate."""
        share = np.clip(self.weights @ pool.said(self._words), 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
        return np.asarray(np.nan_to_num(bits))

    def weigh(self, tests: Tests) -> None:
        """Weigh the structures by the newest test; draw them anew and move them if few count."""
        newest = Tests(self._n)
        newest.add(tests.triplets[-1])
        self._log_weights += tests.newest_logs(newest.said(self._words)[:, 0])
        weights = self.weights
        if 1.0 / np.square(weights).sum() < 0.5 * len(weights):
            self._draw_anew(weights)
            self._move(tests)

    def best(self, tests: Tests) -> tuple[Bools, float]:
        """Give the most probable structure, and its log posterior up to a constant."""
        logs = self._log_posteriors(tests)
        first = int(logs.argmax())
        return self.adjacency[first], float(logs[first])

    def _log_posteriors(self, tests: Tests) -> Floats:
        """Give the log posterior of each structure, up to a constant."""
        n_edges = self.adjacency[:, self._pairs[0], self._pairs[1]].sum(axis=1)
        return np.asarray(tests.logs_of(tests.said(self._words)).sum(axis=1) + self._log_priors[n_edges])

    def _draw_anew(self, weights: Floats) -> None:
        """Draw as many structures again, each about in proportion to its weight (systematic resampling)."""
        places = (self._rng.random() + np.arange(len(weights))) / len(weights)
        chosen = np.minimum(np.searchsorted(np.cumsum(weights), places), len(weights) - 1)
        self.adjacency, self._words = self.adjacency[chosen], self._words[chosen]
        self._log_weights = np.zeros(len(weights))

    def _move(self, tests: Tests) -> None:
        """Make Metropolis-Hastings moves: flip an edge of each structure, and keep that or not."""
        logs = self._log_posteriors(tests)
        for _ in range(self._how.n_moves):
            pairs = self._rng.integers(self._pairs.shape[1], size=len(logs))
            self._flip(np.ones(len(logs), bool), pairs)
            after = self._log_posteriors(tests)
            is_refused = np.log(self._rng.random(len(logs))) >= after - logs
            self._flip(is_refused, pairs)
            logs = np.where(is_refused, logs, after)

    def _flip(self, chosen: Bools, pairs: NDArray[np.int64]) -> None:
        """Flip a pair of each structure that is chosen."""
        particles = np.flatnonzero(chosen)
        x, y = self._pairs[:, pairs[particles]]
        for a, b in ((x, y), (y, x)):
            self.adjacency[particles, a, b] ^= True
            self._words[particles, a, b >> 6] ^= np.uint64(1) << (b & 63).astype(np.uint64)


def _next_test(population: Population, tests: Tests, how: Filtering) -> Triplet | None:
    """Choose the candidate that tells most; None if none tells enough."""
    pool = population.candidates(tests)
    if not pool.triplets:
        return None
    bits = population.information(pool)
    costs = np.array([2 + len(each.given) for each in pool.triplets])
    worth = bits / costs if how.choice == "information-by-cost" else bits
    worth[bits < LEAST_BITS] = -1.0
    first = int(worth.argmax())
    return pool.triplets[first] if worth[first] >= 0 else None


def _log_priors(n_pairs: int) -> Floats:
    """Give the log prior of a structure by its number of edges, all numbers alike."""
    k = np.arange(n_pairs + 1)
    return np.asarray(gammaln(k + 1) + gammaln(n_pairs - k + 1) - gammaln(n_pairs + 2))


def _packed(adjacency: Bools) -> NDArray[np.uint64]:
    """Write the neighbours of each variable of each structure as bits of words."""
    n = adjacency.shape[2]
    words = np.zeros((*adjacency.shape[:2], n // 64 + 1), np.uint64)
    for y in range(n):
        words[:, :, y >> 6] |= adjacency[:, :, y].astype(np.uint64) << np.uint64(y & 63)
    return words
