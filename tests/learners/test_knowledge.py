"""What is known of pairs: every search stays within it, every sum is over what agrees with it."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from cli_runner import run_fixture, table_fixture  # noqa: F401
from ibmap import SearchResult
from ibmap.confidence.exact import exact_posterior
from ibmap.confidence.posterior import posterior_confidence
from ibmap.confidence.sampling import SamplingPlan, sample_posterior
from ibmap.data.encoding import encode
from ibmap.errors import IbmapError, KnowledgeError, StopSearch
from ibmap.graph import MarkovGraph
from ibmap.graph.knowledge import Knowledge, make_knowledge
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.known import known_test
from ibmap.independence.pairwise import PairwiseTest
from ibmap.learners import LEARNERS
from ibmap.score import TestScore, knowledge_of, local_score, total_score
from ibmap.simulate import random_network
from oracles import naive_knowledge as naive
from strategies import tables

pytestmark = pytest.mark.compiled_only("learners as a whole say nothing new about kernels")
SCORED = ("hc", "beam", "restarts", "hhc")
NAMES = ("a", "b", "c", "d")


def learned(name, table, **options):
    entry = LEARNERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return entry.learn(table, entry.options(**options))


def rows_of(n, n_rows, seed, degree=2):
    return random_network(n, degree, signs="random", random_state=seed).sample(n_rows, random_state=seed)


def drawn(n, seed):
    """Some pairs required, some forbidden."""
    rng = np.random.default_rng([seed, 99])
    pairs = [(x, y) for x in range(n) for y in range(x + 1, n)]
    chosen = [pairs[k] for k in rng.permutation(len(pairs))[: int(rng.integers(2, len(pairs)))]]
    cut = int(rng.integers(0, len(chosen) + 1))
    return {*chosen[:cut]}, {*chosen[cut:]}


def by_test(test):
    return lambda x, y, others, blanket: test.log_probabilities(x, y, others)


def by_regression(test):
    """Each variable's own regression judges its links, as the score has it."""

    def both(x, y, others, blanket):
        e = test.regressions.fits.log_bayes_factors(x, blanket)[0][y] + test.log_prior_odds
        return -np.logaddexp(0.0, e), -np.logaddexp(0.0, -e)

    return both


@pytest.mark.parametrize("name", sorted(LEARNERS))
@pytest.mark.parametrize("seed", range(3))
def test_no_search_leaves_what_is_known(name, seed):
    table = encode(rows_of(5, 150, seed))
    required, forbidden = drawn(5, seed)
    result = learned(name, table, require=sorted(required), forbid=sorted(forbidden))
    edges = {*result.graph.edges}
    assert required <= edges and not forbidden & edges
    kept = SearchResult.from_json(result.to_json())
    assert kept.required == frozenset(required) and kept.graph == result.graph


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("make", "read"), [(BayesianTest, by_test), (AveragedTest, by_regression)])
def test_exact_sums_are_those_over_all_structures_that_agree(make, read, seed):
    rows, (required, forbidden) = rows_of(4, 120, seed), drawn(4, seed)
    known = Knowledge(tuple(f"x{k}" for k in range(4)), frozenset(required), frozenset(forbidden))
    scores, log_total, shares = naive.posterior(4, required, forbidden, read(make(rows)))
    score = local_score(known_test(make(rows), known))
    for edges, value in scores.items():
        assert total_score(score, MarkovGraph.from_edges(4, edges)) == pytest.approx(value, abs=1e-9)
    found = exact_posterior(score)
    assert found.log_total == pytest.approx(log_total, abs=1e-9)
    assert max(abs(found.edge_probabilities[pair] - p) for pair, p in shares.items()) < 1e-12
    assert found.score == pytest.approx(max(scores.values()), abs=1e-9)


@pytest.mark.parametrize("name", SCORED)
@given(table=tables(min_variables=4, max_variables=4, max_states=3), seed=st.integers(0, 1000))
def test_a_climb_ends_at_a_structure_no_allowed_flip_of_which_is_better(name, table, seed):
    required, forbidden = drawn(4, seed)
    result = learned(name, table, require=sorted(required), forbid=sorted(forbidden), start="empty")
    scores = naive.posterior(4, required, forbidden, by_test(BayesianTest(table)))[0]
    own = scores[frozenset(result.graph.edges)]
    assert result.score == pytest.approx(own, abs=1e-7)
    if name != "hhc":  # which tries one flip
        nearby = [value for edges, value in scores.items() if len(edges ^ {*result.graph.edges}) == 1]
        assert all(value <= own + 1e-7 for value in nearby)


def test_chains_find_the_probabilities_of_what_agrees():
    rows = rows_of(6, 100, 3, degree=3)
    known = make_knowledge([f"x{k}" for k in range(6)], require=["x0--x5"], forbid=["x1--x2", "x3--x4"])
    for make in (AveragedTest, BayesianTest):
        score = local_score(known_test(make(rows), known))
        exact = exact_posterior(score).edge_probabilities
        plan = SamplingPlan(precision=0.005, max_steps=60_000)
        sampled = sample_posterior(score, MarkovGraph.empty(6), seed=1, plan=plan).edge_probabilities
        assert abs(sampled - exact).max() < 0.02
        assert sampled[0, 5] == 1 and sampled[1, 2] == sampled[3, 4] == 0


def test_few_open_pairs_of_many_variables_are_summed_exactly():
    table = encode(rows_of(14, 100, 0))
    forbid = [(x, y) for x in range(14) for y in range(x + 2, 14)]
    learner = ibmap.IBMAP(forbid=forbid).fit(rows_of(14, 100, 0))
    score = local_score(learner._options().make_test(table))
    found = posterior_confidence(score, learner.result_.graph)
    assert found.method == "exact" and found.edge_probabilities[0, 5] == 0
    settled = local_score(
        known_test(AveragedTest(table), Knowledge(table.names, forbidden=frozenset(forbid)))
    )
    assert posterior_confidence(settled, MarkovGraph.empty(14)).method == "exact"


def test_a_bootstrap_keeps_to_what_is_known():
    learner = ibmap.IBMAP(require=[("x0", "x3")], forbid=[("x0", "x1")]).fit(rows_of(5, 80, 1))
    often = learner.confidence("bootstrap", n_fits=8).edge_probabilities
    assert often[0, 3] == 1 and often[0, 1] == 0


@pytest.mark.parametrize("name", ["ibmap", "hc", "gsmn", "ts"])
def test_saying_what_the_data_say_leaves_the_structure_as_it_is(name):
    """Forbidding edges that are absent, requiring edges that are present: strong networks, every pair."""
    table = encode(random_network(6, 2, random_state=5, log_odds=2.0).sample(2000, random_state=5))
    plain = learned(name, table)
    for x in range(6):
        for y in range(x + 1, 6):
            key = "require" if plain.graph.has_edge(x, y) else "forbid"
            assert learned(name, table, **{key: [(x, y)]}).graph == plain.graph


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_forbidden_pairs_cost_no_tests(name):
    table = encode(rows_of(6, 200, 2))
    plain = learned(name, table).n_tests
    pairs = [(0, 1), (0, 2), (1, 2), (3, 4)]
    told = learned(name, table, forbid=pairs).n_tests
    everything = [(x, y) for x in range(6) for y in range(x + 1, 6)]
    assert told < plain
    if name not in ("mpl", "pic"):  # which weigh the blankets as they are
        assert learned(name, table, forbid=everything).n_tests == 0


def test_tests_of_forbidden_pairs_are_never_made():
    table, asked = encode(rows_of(6, 200, 2)), []

    class Spy(BayesianTest):
        def _answer_each(self, x, candidates, given, until_dependent):
            asked.extend((x, y) for y in candidates)
            return super()._answer_each(x, candidates, given, until_dependent)

    for name in ("gsmn", "gsmn-star", "gsimn", "iamb", "hiton"):
        asked.clear()
        learned(name, table, test=Spy, forbid=[(0, 1)])
        assert asked and not {(0, 1), (1, 0)} & {*asked}


def test_a_climb_counts_exactly_the_tests_of_open_pairs():
    table, forbid = encode(rows_of(5, 150, 4)), [(0, 1), (2, 3)]
    result = learned("hc", table, forbid=forbid, start="empty")
    known, seen = make_knowledge(table.names, forbid=forbid), set()
    graph = MarkovGraph.empty(5)
    for flip in (None, *result.trace):
        graph = graph if flip is None else graph.flip(flip.x, flip.y)
        for x in range(5) if flip is None else (flip.x, flip.y):
            others = [y for y in range(5) if y != x and known.settled(x, y) is None]
            for blanket in [{*graph.blanket(x)}, *({*graph.blanket(x)} ^ {w} for w in others)]:
                seen |= {(min(x, y), max(x, y), frozenset(blanket - {y})) for y in others}
    assert result.n_tests == len(seen)


@pytest.mark.parametrize("test", ["bayesian", "pairwise"])
def test_a_prior_of_a_pair_is_that_of_its_tests(test):
    rows = rows_of(4, 60, 7)
    make = {"bayesian": lambda p: BayesianTest(rows, 1 - p), "pairwise": None}[test]
    options = LEARNERS["hc"].options(test=test, edge_prior=[("x0", "x1", 0.9)])
    told = options.make_test(encode(rows))
    plain = options.plain_test(encode(rows))
    assert told.log_probabilities(0, 2, (1,)) == plain.log_probabilities(0, 2, (1,))
    if make is not None:
        assert told.log_probabilities(0, 1, (2,)) == make(0.9).log_probabilities(0, 1, (2,))
    else:
        odds = np.log(9) + plain.log_bayes_factor(plain.triplet(0, 1, (2,)))
        assert told.log_probabilities(0, 1, (2,)).dependent == pytest.approx(-np.logaddexp(0, -odds))
    graph = MarkovGraph.from_edges(4, [(0, 1), (1, 2)])
    if test == "bayesian":
        fast, slow = local_score(told), TestScore(told)
        assert total_score(fast, graph) == pytest.approx(total_score(slow, graph), abs=1e-9)


def test_the_recommended_learner_goes_by_the_priors_and_learns_that_of_the_others():
    rows = rows_of(8, 60, 2)
    plain = ibmap.IBMAP().fit(rows)
    nearest = next(p for p in plain.result_.evidence if not p.is_edge)
    told = ibmap.IBMAP(edge_prior=[(nearest.x, nearest.y, 0.99)]).fit(rows)
    assert told.result_.graph.has_edge(nearest.x, nearest.y)
    assert 0 < told.prior_ < 1
    everything = np.full((8, 8), 0.5)
    assert ibmap.IBMAP(edge_prior=everything).fit(rows).prior_ == AveragedTest(rows).prior


def test_the_loss_of_a_required_edge_is_what_the_data_say():
    rows = np.random.default_rng(0).integers(0, 2, (300, 3))
    for make in (ibmap.IBMAP, ibmap.IBMAPHC):
        result = make(require=[("x0", "x1")]).fit(rows).result_
        own = next(each for each in result.evidence if (each.x, each.y) == (0, 1))
        assert own.is_edge and own.loss < 0
        plain = local_score(make(prior=0.5)._options().make_test(encode(rows)))
        if make is ibmap.IBMAPHC:
            graphs = [MarkovGraph.from_edges(3, edges) for edges in ([(0, 1)], [])]
            assert own.loss == pytest.approx(total_score(plain, graphs[0]) - total_score(plain, graphs[1]))
        told = result.explain("x0", "x1")
        assert told.is_required and "as required" in str(told)
        assert result.explain("x0", "x1", data=rows).loss == pytest.approx(own.loss)
        assert result.explain("x1", "x2", data=rows).is_required is False


def test_a_climb_that_is_resumed_keeps_what_is_known(tmp_path):
    table = encode(rows_of(8, 200, 3))
    entry, path = LEARNERS["hc"], tmp_path / "climb.json"
    options = entry.options(require=[("x0", "x7")], forbid=[(1, 2)], start="empty")
    whole = entry.learn(table, options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entry.learn(table, replace(options, max_ascents=1), checkpoint=path)
    again = entry.learn(table, options, resume=path)
    assert (again.graph, again.score, again.n_tests) == (whole.graph, whole.score, whole.n_tests)
    with pytest.raises(IbmapError, match="it was begun with forbid"):
        entry.learn(table, entry.options(start="empty"), resume=path)


def test_an_interrupted_search_still_agrees():
    def stop(progress):
        raise StopSearch

    table = encode(rows_of(6, 100, 1))
    for name in ("ibmap", "hc", "gsmn", "iamb", "restarts"):
        entry = LEARNERS[name]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = entry.learn(table, entry.options(require=[(0, 5)]), callback=stop)
        assert result.graph.has_edge(0, 5)


def test_threads_do_not_change_what_is_learned():
    table = encode(rows_of(7, 300, 2))
    for name in ("ibmap", "hc", "ts"):
        entry = LEARNERS[name]
        options = entry.options(require=[(0, 6)], forbid=[(1, 2)])
        one, three = (entry.learn(table, options, n_threads=k) for k in (1, 3))
        assert (one.graph, one.score, one.n_tests) == (three.graph, three.score, three.n_tests)


BAD = [
    ({"require": [("a", "b")], "forbid": [("b", "a")]}, "forbid 'a'--'b': the pair is also required"),
    ({"require": [("a", "z")]}, "require 'a'--'z': there is no variable 'z'"),
    ({"forbid": [("a", "a")]}, "two different variables"),
    ({"require": [("a", "b", "c")]}, "require must be a list of pairs"),
    ({"require": "a--b"}, "require must be a list of pairs"),
    ({"forbid": ["ab"]}, "it is not two names"),
    (
        {"require": [("a", "b")], "edge_prior": [("a", "b", 0)]},
        "edge_prior 0 'a'--'b': the pair is also",
    ),
    ({"forbid": [("a", "b")], "edge_prior": [("a", "b", 1)]}, "also forbidden"),
    ({"edge_prior": [("a", "b", 1.5)]}, "must be a probability from 0 to 1"),
    ({"edge_prior": [("a", "b", 0.2), ("b", "a", 0.3)]}, "two probabilities, 0.2 and 0.3"),
    ({"edge_prior": np.eye(3)}, "must be a matrix of 4 x 4"),
    ({"edge_prior": np.arange(16).reshape(4, 4) / 20}, "is not symmetric"),
    ({"knowledge": {"forbidden": []}}, "has no key 'forbidden'"),
    ({"knowledge": {"forbid_within": ["a", "b"]}}, "must be a list of lists"),
    ({"knowledge": {"forbid_between": [["a", "b"]]}}, "two lists each"),
    ({"knowledge": {"forbid_within": [["a", "b", "c"]]}, "require": [("b", "c")]}, "also required"),
]


@pytest.mark.parametrize(("said", "message"), BAD)
def test_contradictions_are_refused_by_name(said, message):
    with pytest.raises(KnowledgeError, match=message.replace("(", r"\(")):
        make_knowledge(NAMES, **said)


def test_what_a_learner_cannot_honour_is_refused():
    table = encode(rows_of(4, 50, 0))
    for name, options in (("gsmn", {"test": "g"}), ("mpl", {}), ("pic", {}), ("pfmn", {})):
        with pytest.raises(KnowledgeError, match="edge_prior takes a learner"):
            learned(name, table, edge_prior=[(0, 1, 0.3)], **options)


def test_knowledge_is_read_in_every_form(tmp_path):
    names = ("a", "b--c", "c", "d")
    wanted = make_knowledge(names, [("a", "b--c")], [("c", "d"), ("a", "d")], [("a", "c", 0.25)])
    text = {
        "require": [["a", "b--c"]],
        "forbid_within": [["c", "d"]],
        "forbid_between": [[["a"], ["d"]]],
        "edge_prior": [["a", "c", 0.25]],
    }
    (tmp_path / "known.json").write_text(json.dumps(text))
    (tmp_path / "known.toml").write_text(
        'require = [["a", "b--c"]]\nforbid_within = [["c", "d"]]\nforbid_between = [[["a"], ["d"]]]\n'
        'edge_prior = [["a", "c", 0.25]]\n'
    )
    matrix = pd.DataFrame(np.nan, index=names, columns=names)
    matrix.loc["a", "c"] = matrix.loc["c", "a"] = 0.25
    matrix.to_csv(tmp_path / "square.csv")
    (tmp_path / "list.csv").write_text("first,second,probability\na,c,0.25\n")
    settled = {"require": ["a--b--c"], "forbid": ["c--d", ("d", 0)]}
    shuffled = matrix.loc[list(names[::-1]), list(names[::-1])]
    forms = [
        {"knowledge": text},
        {"knowledge": tmp_path / "known.json"},
        {"knowledge": str(tmp_path / "known.toml")},
        *({**settled, "edge_prior": p} for p in (matrix, shuffled, matrix.to_numpy(), {("c", "a"): 0.25})),
        *({**settled, "edge_prior": str(tmp_path / p)} for p in ("square.csv", "list.csv")),
    ]
    for form in forms:
        found = make_knowledge(names, **form)
        assert found.recorded() == wanted.recorded(), form
    assert make_knowledge(names, **wanted.recorded()).recorded() == wanted.recorded()


def test_the_command_line_takes_and_tells_it(run, table, tmp_path):
    out = tmp_path / "net.json"
    found = run("learn", table, "--require", "sky--die", "--forbid", "sky--game", "-o", out)
    assert found.code == 0 and "1 edge required, 1 pair forbidden" in found.out
    assert "required" in found.out and "data speak against" in found.out
    result = SearchResult.from_json(out)
    assert result.provenance.options["require"] == [["sky", "die"]]
    assert {frozenset(edge) for edge in result.graph.edges} == {frozenset((0, 2))}
    told = run("explain", out, "sky", "die", "--data", table)
    assert told.code == 0 and "as required" in told.out


def test_the_page_tells_it(run, table, tmp_path):
    page = tmp_path / "page.html"
    assert run("learn", table, "--require", "sky--die", "--report", page).code == 0
    text = page.read_text()
    assert "Known before the data were seen" in text and "The edge was required" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--require", "sky--moon"), "error: --require 'sky'--'moon': there is no variable 'moon'"),
        (("--require", "sky-die"), "error: --require 'sky-die': it is not two names"),
        (("--require", "sky--die", "--forbid", "die--sky"), "error: --forbid 'sky'--'die': the pair is also"),
        (("--knowledge", "nowhere.json"), "error: --knowledge must be"),
        (("--edge-prior", "nowhere.csv"), "error: --edge-prior must be"),
        (("--algorithm", "mpl", "--knowledge", "prior.json"), "error: --edge-prior takes a learner"),
    ],
)
def test_the_command_line_refuses_what_it_cannot_take(run, table, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prior.json").write_text('{"edge_prior": [["sky", "die", 0.5]]}')
    found = run("learn", table, *arguments)
    assert found.code == 2 and message in " ".join(found.err.split())


def test_a_score_without_knowledge_says_so():
    assert knowledge_of(local_score(PairwiseTest(rows_of(3, 30, 0)))) is None
