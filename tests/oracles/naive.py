"""The definitions of the paper in loops and dicts: the oracle the package is tested against.

Nothing here is shared with the package and nothing is optimised. Data are `rows` (lists of codes), `cards`
(the number of states of each column) and optional integer `weights` (weight w is the row repeated w times).
Graphs are sets of frozenset pairs `edges` over the variables 0 .. n - 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from itertools import combinations
from typing import Any

from scipy.stats import chi2

TOLERANCE = 1e-9  # log values this near are equal: rounding never decides

Rows = Sequence[Sequence[int]]
Cards = Sequence[int]
Given = Iterable[int]
Weights = Sequence[int] | None
Statistic = tuple[float, int, float]
Slice = list[list[int]]
Edges = Iterable[frozenset[int]]
Triplet = tuple[int, int, tuple[int, ...]]
Assertion = tuple[int, int, tuple[int, ...], bool]
Ask = Callable[[int, int, Given], bool]
LogSupport = Callable[[int, int, Given], float]
LogProbabilities = Callable[[int, int, Given], tuple[float, float]]


# Counting


def triplet(x: int, y: int, given: Given = ()) -> Triplet:
    """Name a triplet so that its symmetric twin has the same name."""
    return min(x, y), max(x, y), tuple(sorted(given))


def contingency(
    rows: Rows, cards: Cards, x: int, y: int, given: Given = (), weights: Weights = None
) -> list[Slice]:
    """Count the states of x (rows) and y (columns) in each observed configuration of `given`, sorted."""
    given = sorted(given)
    counter: Counter[tuple[tuple[int, ...], int, int]] = Counter()
    for position, row in enumerate(rows):
        weight = 1 if weights is None else weights[position]
        if weight > 0:
            counter[tuple(row[z] for z in given), row[x], row[y]] += weight
    configurations = sorted({configuration for configuration, _, _ in counter})
    return [
        [[counter[configuration, a, b] for b in range(cards[y])] for a in range(cards[x])]
        for configuration in configurations
    ]


def row_margins(cells: Slice) -> list[int]:
    """Add up each row."""
    return [sum(row) for row in cells]


def column_margins(cells: Slice) -> list[int]:
    """Add up each column."""
    return [sum(column) for column in zip(*cells, strict=True)]


def without_empty_margins(cells: Slice) -> Slice:
    """Drop the rows and the columns that hold no count."""
    columns = [b for b, total in enumerate(column_margins(cells)) if total > 0]
    return [[row[b] for b in columns] for row in cells if sum(row) > 0]


# The Bayesian test, in decimals long enough that no rounding is left in the doubles returned


def rising(a: Decimal, c: int) -> Decimal:
    """G(a + c) / G(a) = a (a + 1) ... (a + c - 1), G the gamma function."""
    product = Decimal(1)
    for step in range(c):
        product *= a + step
    return product


def marginal_likelihood(counts: Sequence[int], hyperparameter: Decimal) -> Decimal:
    """Y(c; a) = G(A)/G(A+m) prod_r G(a + c_r)/G(a), the same a for every r and A their sum."""
    product = Decimal(1)
    for count in counts:
        product *= rising(hyperparameter, count)
    return product / rising(hyperparameter * len(counts), sum(counts))


def priors(kind: str, i: int, j: int, k: int, size: float) -> tuple[Decimal, Decimal, Decimal]:
    """Hyperparameters alpha (rows), beta (columns) and gamma (cells) of I x J tables in K slices."""
    if kind == "sums":
        return Decimal(j), Decimal(i), Decimal(1)
    if kind == "ones":
        return Decimal(1), Decimal(1), Decimal(1)
    if kind == "bdeu":
        s = Decimal(size)
        return s / (i * k), s / (j * k), s / (i * j * k)
    raise ValueError(kind)


def slice_ratio(cells: Slice, alpha: Decimal, beta: Decimal, gamma: Decimal) -> Decimal:
    """h / g of one slice: its likelihood under dependence over that under independence."""
    g = marginal_likelihood(row_margins(cells), alpha) * marginal_likelihood(column_margins(cells), beta)
    h = marginal_likelihood([count for row in cells for count in row], gamma)
    return h / g


def number_of_slices(cards: Cards, given: Given, n_seen: int, slices: str) -> int:
    """K: all configurations of `given`, or those seen (1 if there are no rows)."""
    if slices == "all":
        return math.prod(cards[z] for z in given)
    if slices == "seen":
        return max(n_seen, 1)
    raise ValueError(slices)


def log1p(value: Decimal) -> Decimal:
    """log(1 + value) of a positive value, however small."""
    if value < Decimal("1e-50"):
        return value - value * value / 2
    return (1 + value).ln()


def log_probabilities(
    rows: Rows,
    cards: Cards,
    x: int,
    y: int,
    given: Given = (),
    prior: float = 0.5,
    hyperparameters: str = "sums",
    slices: str = "all",
    equivalent_sample_size: float = 1.0,
    weights: Weights = None,
) -> tuple[float, float]:
    """Give log Pr(I | D) and log Pr(not I | D), where Pr(I | D) = prod_k 1 / (1 + (p^(-1/K) - 1) h_k / g_k).

    With 1 + E the product of the denominators, Pr(I) = 1 / (1 + E) and Pr(not I) = 1 / (1 + 1/E).
    """
    given = sorted(given)
    seen = contingency(rows, cards, x, y, given, weights)
    k = number_of_slices(cards, given, len(seen), slices)
    with localcontext(Context(prec=150 + len(str(k)), Emin=MIN_EMIN, Emax=MAX_EMAX)):
        alpha, beta, gamma = priors(hyperparameters, cards[x], cards[y], k, equivalent_sample_size)
        log_prior = Decimal(prior).ln()
        slice_odds = (-log_prior / k).exp() - 1
        odds = (-log_prior * (k - len(seen)) / k).exp() - 1  # E of the unseen slices, a factor p^(1/K) each
        for cells in seen:
            term = slice_odds * slice_ratio(cells, alpha, beta, gamma)
            odds = odds + term + odds * term  # (1 + E)(1 + term) - 1 without cancellation
        return float(-log1p(odds)), float(-log1p(1 / odds))


def is_independent(log_p: float) -> bool:
    """Decide independence at 1/2: log p against log(1 - p); a tie is independence."""
    return log_p > -0.1 or log_p >= math.log(-math.expm1(log_p)) - TOLERANCE


# The classical tests


def degrees_of_freedom(tables: Iterable[Slice]) -> int:
    """Add (rows - 1)(columns - 1) over tables without empty margins."""
    return sum((len(row_margins(cells)) - 1) * (len(column_margins(cells)) - 1) for cells in tables)


def tail(statistic: float, df: int) -> float:
    """Probability that a chi-square variable exceeds the statistic; 1 without degrees of freedom."""
    return float(chi2.sf(statistic, df)) if df > 0 else 1.0


def cells_and_margins(tables: Iterable[Slice]) -> list[tuple[int, int, int, int]]:
    """List every cell as (count, its row's margin, its column's margin, its slice's total)."""
    found = []
    for cells in tables:
        by_row, by_column = row_margins(cells), column_margins(cells)
        for a, row in enumerate(cells):
            for b, count in enumerate(row):
                found.append((count, by_row[a], by_column[b], sum(by_row)))
    return found


def trimmed_contingency(
    rows: Rows, cards: Cards, x: int, y: int, given: Given = (), weights: Weights = None
) -> list[Slice]:
    """Count as `contingency` does and drop the empty margins of each slice."""
    return [without_empty_margins(cells) for cells in contingency(rows, cards, x, y, given, weights)]


def chi_square(
    rows: Rows, cards: Cards, x: int, y: int, given: Given = (), weights: Weights = None
) -> Statistic:
    """Pearson's statistic without Yates' correction, its degrees of freedom and p-value."""
    tables = trimmed_contingency(rows, cards, x, y, given, weights)
    terms = []
    for count, r, c, m in cells_and_margins(tables):
        expected = r * c / m
        terms.append((count - expected) ** 2 / expected)
    statistic, df = math.fsum(terms), degrees_of_freedom(tables)
    return statistic, df, tail(statistic, df)


def g_test(rows: Rows, cards: Cards, x: int, y: int, given: Given = (), weights: Weights = None) -> Statistic:
    """The likelihood-ratio statistic 2 sum o log(o/e), its degrees of freedom and p-value."""
    tables = trimmed_contingency(rows, cards, x, y, given, weights)
    terms = []
    for count, r, c, m in cells_and_margins(tables):
        if count > 0:
            terms.append(2 * count * math.log(count * m / (r * c)))
    statistic, df = math.fsum(terms), degrees_of_freedom(tables)
    return statistic, df, tail(statistic, df)


def cochran(rows: Rows, cards: Cards, x: int, y: int, given: Given = (), weights: Weights = None) -> bool:
    """Cochran's rule: no expected count is under 1 and at most a fifth of them under 5."""
    cells = cells_and_margins(trimmed_contingency(rows, cards, x, y, given, weights))
    under_one = sum(r * c < m for _, r, c, m in cells)  # expected = r c / m, compared in integers
    under_five = sum(r * c < 5 * m for _, r, c, m in cells)
    return len(cells) > 0 and under_one == 0 and 5 * under_five <= len(cells)


class CountingTest:
    """The Bayesian test on a data set, which remembers every triplet it was asked."""

    def __init__(self, rows: Rows, cards: Cards, **options: Any) -> None:
        """Keep the data and the options of `log_probabilities`."""
        self.rows, self.cards, self.options = rows, cards, options
        self.memory: dict[Triplet, tuple[float, float]] = {}

    @property
    def asked(self) -> set[Triplet]:
        """The canonical triplets asked so far."""
        return set(self.memory)

    def log_probabilities(self, x: int, y: int, given: Given = ()) -> tuple[float, float]:
        """Give log Pr(I | D) and log Pr(not I | D)."""
        key = triplet(x, y, given)
        if key not in self.memory:
            self.memory[key] = log_probabilities(self.rows, self.cards, *key, **self.options)
        return self.memory[key]

    def log_support(self, x: int, y: int, given: Given = ()) -> float:
        """Give log Pr(I | D)."""
        return self.log_probabilities(x, y, given)[0]

    def ask(self, x: int, y: int, given: Given = ()) -> bool:
        """Say whether x and y are independent given the others."""
        return is_independent(self.log_support(x, y, given))


# Graphs and closures


def pairs(n: int) -> list[tuple[int, int]]:
    """List the unordered pairs of variables, lowest first."""
    return [(i, j) for i in range(n) for j in range(i + 1, n)]


def blanket(edges: Edges, n: int, x: int) -> tuple[int, ...]:
    """List the neighbours of x."""
    edges = set(edges)
    return tuple(y for y in range(n) if y != x and frozenset((x, y)) in edges)


def separated(edges: Edges, n: int, x: int, y: int, given: Given = ()) -> bool:
    """Say whether every path from x to y meets `given`."""
    edges, closed = set(edges), set(given)
    reached, waiting = {x}, [x]
    while waiting:
        for neighbour in blanket(edges, n, waiting.pop()):
            if neighbour not in closed and neighbour not in reached:
                reached.add(neighbour)
                waiting.append(neighbour)
    return y not in reached


def blanket_closure(edges: Edges, n: int) -> list[Assertion]:
    """The Markov-blanket closure: (x, y, B(x) - y, independent?) for every ordered pair."""
    assertions = []
    for x in range(n):
        neighbours = blanket(edges, n, x)
        for y in range(n):
            if y != x:
                given = tuple(z for z in neighbours if z != y)
                assertions.append((x, y, given, y not in neighbours))
    return assertions


def pairwise_closure(edges: Edges, n: int) -> list[Assertion]:
    """The paper's first example: a non-edge given all others, an edge given every subset of them."""
    edges = set(edges)
    assertions = []
    for x, y in pairs(n):
        others = [z for z in range(n) if z not in (x, y)]
        if frozenset((x, y)) not in edges:
            assertions.append((x, y, tuple(others), True))
        else:
            for size in range(len(others) + 1):
                assertions.extend((x, y, given, False) for given in combinations(others, size))
    return assertions


def closure_score(assertions: Iterable[Assertion], log_probabilities_fn: LogProbabilities) -> float:
    """Add the log probabilities of the assertions."""
    terms = []
    for x, y, given, independent in assertions:
        log_p, log_not_p = log_probabilities_fn(x, y, given)
        terms.append(log_p if independent else log_not_p)
    return math.fsum(terms)


def ib_score(rows: Rows, cards: Cards, edges: Edges, **options: Any) -> float:
    """The log IB-score of a graph with the Markov-blanket closure."""

    def log_both(x: int, y: int, given: Given) -> tuple[float, float]:
        return log_probabilities(rows, cards, x, y, given, **options)

    return closure_score(blanket_closure(edges, len(cards)), log_both)


# GSMN


def order_by_association(values: Mapping[int, float]) -> list[int]:
    """Order variables by increasing log Pr(I), those equal to the first of their run by column."""
    order: list[int] = []
    run: list[int] = []
    for variable in sorted(values, key=lambda v: (values[v], v)):
        if run and values[variable] - values[run[0]] > TOLERANCE:
            order.extend(sorted(run))
            run = []
        run.append(variable)
    return order + sorted(run)


def grow_once(ask: Ask, x: int, order: Iterable[int], members: list[int]) -> list[int]:
    """Add, in one pass, every variable that depends on x given the members so far."""
    members = list(members)
    for y in order:
        if y not in members and not ask(x, y, list(members)):
            members.append(y)
    return members


def shrink_once(ask: Ask, x: int, members: list[int]) -> list[int]:
    """Drop, in one pass, every member that does not depend on x given the members still there."""
    kept = list(members)
    for y in members:
        rest = [z for z in kept if z != y]
        if ask(x, y, rest):
            kept = rest
    return kept


def grow_shrink(ask: Ask, x: int, order: Sequence[int], grow: str = "once") -> list[int]:
    """Learn the blanket of x, listed in order of inclusion."""
    if grow not in ("once", "repeat"):
        raise ValueError(grow)
    members = grow_once(ask, x, order, [])
    while grow == "repeat":
        grown = grow_once(ask, x, order, members)
        if grown == members:
            break
        members = grown
    while True:
        kept = shrink_once(ask, x, members)
        if kept == members:
            return members
        members = kept


def gsmn(
    ask: Ask,
    log_support: LogSupport,
    n: int,
    rule: str = "or",
    grow: str = "once",
    order: str = "association",
) -> set[frozenset[int]]:
    """Learn every blanket by itself and join them by the OR or the AND rule."""
    if rule not in ("or", "and") or order not in ("association", "columns"):
        raise ValueError((rule, order))
    blankets = []
    for x in range(n):
        others = [y for y in range(n) if y != x]
        if order == "association":
            others = order_by_association({y: log_support(x, y, ()) for y in others})
        blankets.append(grow_shrink(ask, x, others, grow))
    edges = set()
    for x, y in pairs(n):
        votes = (y in blankets[x]) + (x in blankets[y])
        if votes >= (1 if rule == "or" else 2):
            edges.add(frozenset((x, y)))
    return edges


# Searches


def flip(edges: Edges, i: int, j: int) -> set[frozenset[int]]:
    """Give the graph with the pair i, j joined if it was not and parted if it was."""
    return set(edges) ^ {frozenset((i, j))}


def gains_of_flips(test: CountingTest, n: int, edges: Edges) -> dict[tuple[int, int], float]:
    """Score every neighbour in full and subtract the score of the graph."""
    score = closure_score(blanket_closure(edges, n), test.log_probabilities)
    gains = {}
    for i, j in pairs(n):
        neighbour = blanket_closure(flip(edges, i, j), n)
        gains[i, j] = closure_score(neighbour, test.log_probabilities) - score
    return gains


def hill_climb(
    test: CountingTest, n: int, start_edges: Edges, max_ascents: int | None = None
) -> dict[str, Any]:
    """IBMAP-HC: take the best single flip, of equal ones the lowest pair, while the best gains."""
    edges = set(start_edges)
    trace: list[tuple[int, int, float]] = []
    iterations = 0  # neighbourhoods looked at
    while max_ascents is None or len(trace) < max_ascents:
        iterations += 1
        gains = gains_of_flips(test, n, edges)
        best = max(gains.values(), default=0.0)
        if not best > TOLERANCE:
            break
        i, j = min(pair for pair, gain in gains.items() if gain >= best - TOLERANCE)
        edges = flip(edges, i, j)
        trace.append((i, j, gains[i, j]))
    return {
        "edges": edges,
        "score": closure_score(blanket_closure(edges, n), test.log_probabilities),
        "ascents": len(trace),
        "iterations": iterations,
        "trace": trace,
        "asked": test.asked,
    }


def all_graphs(n: int) -> list[set[frozenset[int]]]:
    """List every graph of n variables, by number of edges and then by lowest pairs."""
    every = [frozenset(pair) for pair in pairs(n)]
    return [set(chosen) for size in range(len(every) + 1) for chosen in combinations(every, size)]


def best_of_all_graphs(test: CountingTest, n: int) -> tuple[float, set[frozenset[int]]]:
    """The greatest score of all graphs and the first graph that has it (n <= 4)."""
    if n > 4:
        raise ValueError(n)
    graphs = all_graphs(n)
    scores = [closure_score(blanket_closure(edges, n), test.log_probabilities) for edges in graphs]
    best = max(scores)
    first = next(edges for edges, score in zip(graphs, scores, strict=True) if score >= best - TOLERANCE)
    return best, first


# Error measures


def edge_hamming(edges_a: Edges, edges_b: Edges) -> int:
    """Number of pairs joined in one graph and not in the other."""
    return len(set(edges_a) ^ set(edges_b))


def independence_hamming_graphs(edges_a: Edges, edges_b: Edges, n: int, triplets: Iterable[Triplet]) -> float:
    """Fraction of the triplets that are separated in one graph and not in the other (0 of none)."""
    edges_a, edges_b = set(edges_a), set(edges_b)
    mismatches = [
        separated(edges_a, n, x, y, given) != separated(edges_b, n, x, y, given) for x, y, given in triplets
    ]
    return sum(mismatches) / len(mismatches) if mismatches else 0.0
