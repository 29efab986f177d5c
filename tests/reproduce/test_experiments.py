"""Studies: the same rows however they are run, and summed up as declared."""

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import sklearn.datasets
from hypothesis import given
from hypothesis import strategies as st

from ibmap.data.table import EncodedTable
from ibmap.errors import FileFormatError, InvalidOptionError, SearchWarning
from ibmap.graph import MarkovGraph
from ibmap.independence.bayesian import BayesianTest
from ibmap.metrics import draw_triplets
from ibmap.reproduce.cautious import CautiousTest
from ibmap.reproduce.claims import all_agree, below, falls_with_rows, follows_marks
from ibmap.reproduce.comparison import Column, ComparisonTable, overlap
from ibmap.reproduce.execution import TIMES, execute, seed_sequence
from ibmap.reproduce.growth import GrowthTable, slope
from ibmap.reproduce.journal import Journal
from ibmap.reproduce.metrics import CAUTIOUS_INDEPENDENCES, EDGES, F1, INDEPENDENCES, PRECISION, RECALL
from ibmap.reproduce.paper import paper_studies, stated_tolerance
from ibmap.reproduce.paper_learners import LEARNERS
from ibmap.reproduce.problems import PartOfTable, SampledNetwork
from ibmap.reproduce.published import NAMES, published_rows
from ibmap.reproduce.runner import run_study
from ibmap.reproduce.study import Instance, Learned, Learner, Run, Study
from ibmap.reproduce.tables import fitted, long_csv, markdown, narrow, tally, wide
from oracles import naive_experiments as naive
from strategies import queries, tables

pytestmark = pytest.mark.compiled_only("a study as a whole says nothing new about kernels")


def small_study(**options):
    problems = tuple(SampledNetwork(5, 2, rows) for rows in (30, 100))
    learners = (LEARNERS["gsmn"], LEARNERS["hc"])
    return Study("small", "Five variables", problems, learners, (EDGES, INDEPENDENCES), 3, **options)


def without_times(frame):
    return frame.drop(TIMES)


class Stop(KeyboardInterrupt):
    """What Ctrl-C raises, told apart from a real one."""


def stop_after(n_done):
    def callback(progress):
        if progress.n_done == n_done:
            raise Stop

    return callback


def test_an_interrupted_and_resumed_study_gives_the_same_rows(tmp_path):
    study = small_study()
    whole = run_study(study, tmp_path / "whole", n_jobs=1)
    for n_done in (1, 3, 5):
        with pytest.raises(Stop):
            run_study(study, tmp_path / "parts", n_jobs=1, callback=stop_after(n_done))
    journal = tmp_path / "parts" / "small.journal"
    done = journal.read_bytes()
    assert not (tmp_path / "parts" / "small.parquet").exists()
    journal.write_bytes(done + b'{"run": "cut off by a cra')
    begun = []
    parts = run_study(study, tmp_path / "parts", n_jobs=1, callback=lambda p: begun.append(p.n_done))
    repetitions = [json.loads(line)["run"][-1] for line in done.splitlines()[1:]]
    assert repetitions == ["0", "0", "1", "1", "2"]  # every cell has its share before any has more
    assert begun[0] == 5
    assert begun[-1] == 6
    assert journal.read_bytes().startswith(done)
    assert without_times(parts).equals(without_times(whole))
    assert pl.read_parquet(tmp_path / "parts" / "small.parquet").equals(parts)


def test_processes_and_order_do_not_matter(tmp_path):
    alone = run_study(small_study(), tmp_path / "alone", n_jobs=1)
    study = small_study()
    together = run_study(replace(study, problems=study.problems[::-1]), tmp_path / "together", n_jobs=2)
    key = ["N", "repetition", "learner"]
    assert without_times(together).sort(key).equals(without_times(alone).sort(key))


def test_another_seed_gives_other_rows_and_needs_another_folder(tmp_path):
    first = run_study(small_study(), tmp_path / "1", seed=1, n_jobs=1)
    second = run_study(small_study(), tmp_path / "2", seed=2, n_jobs=1)
    assert not without_times(first).equals(without_times(second))
    with pytest.raises(FileFormatError, match=r"seed 1.*not of.*seed 2.*another folder"):
        run_study(small_study(), tmp_path / "1", seed=2)


def test_a_journal_of_another_version_is_refused(tmp_path):
    run_study(small_study(), tmp_path, seed=1, n_jobs=1)
    path = tmp_path / "small.journal"
    header, *runs = path.read_text().splitlines(keepends=True)
    path.write_text("".join([json.dumps(json.loads(header) | {"version": "0.0.9"}) + "\n", *runs]))
    with pytest.raises(FileFormatError, match=r"version 0\.0\.9.*another folder"):
        run_study(small_study(), tmp_path, seed=1)


def test_a_file_that_is_no_journal_is_refused(tmp_path):
    (tmp_path / "small.journal").write_text("hello\n")
    with pytest.raises(FileFormatError, match="not a journal"):
        run_study(small_study(), tmp_path)
    (tmp_path / "small.journal").write_text('{"format": "other"}\n')
    with pytest.raises(FileFormatError, match="holds runs of"):
        run_study(small_study(), tmp_path)


def test_two_processes_do_not_write_one_journal(tmp_path):
    pytest.importorskip("fcntl")
    path, study = tmp_path / "a.journal", {"study": "a"}
    with Journal(path, study), pytest.raises(InvalidOptionError, match="another process is at work"):
        Journal(path, study)
    with Journal(path, study) as journal:
        assert journal.finished == {}


def test_a_quick_run_is_a_part_of_the_full_one(tmp_path):
    study = small_study(quick=lambda problem: problem.N == 30, quick_repetitions=2)
    quick = run_study(study.shortened(), tmp_path, n_jobs=1)
    full = run_study(study, tmp_path, n_jobs=1)
    part = full.filter(pl.col("N") == 30, pl.col("repetition") < 2)
    assert len(quick) == 4
    assert part.equals(quick)


def test_seeds_are_words_and_numbers_on_every_machine():
    assert seed_sequence(1, "n12", 3).generate_state(1).tolist() == [2526678435]
    states = {
        tuple(seed_sequence(*key).generate_state(2)) for key in [(1, "a", 1), (1, "a1"), (1, "a", "1", "")]
    }
    assert len(states) == 3


def test_problems_that_differ_in_rows_share_their_networks():
    plan = small_study().plan(1)
    few, many = (SampledNetwork(5, 2, rows) for rows in (30, 100))
    assert few.data_key == many.data_key
    rng = [np.random.default_rng(seed_sequence(1, "s", few.data_key, 0)) for _ in range(2)]
    a, b = few.draw(rng[0]), many.draw(rng[1])
    assert a.reference == b.reference
    assert np.array_equal(a.table.codes, b.table.codes[:30])
    rows = [execute(plan, Run(problem, 0)) for problem in (few, many)]
    assert [row[0]["N"] for row in rows] == [30, 100]


def warns(table):
    warnings.warn("stopped early", SearchWarning, stacklevel=1)
    return Learned(MarkovGraph.empty(table.n_variables), {"n_tests": 3})


def test_warnings_become_remarks_of_the_row():
    study = Study("w", "", (SampledNetwork(40, 6, 100, log_odds=2.0),), (Learner("w", warns),), (EDGES,), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (row,) = execute(study.plan(1), study.runs[0])
    kinds = [line.split(":")[0] for line in row["remarks"].splitlines()]
    assert kinds == ["SamplingWarning", "SearchWarning"]
    assert row["n_tests"] == 3
    assert row["log_odds"] == 2.0
    json.dumps(row)


def test_studies_with_ambiguous_names_are_refused():
    twice = (SampledNetwork(5, 2, 30),) * 2
    with pytest.raises(InvalidOptionError, match="twice"):
        Study("s", "", twice, (LEARNERS["gsmn"],), (EDGES,))
    with pytest.raises(InvalidOptionError, match="two learners"):
        Study("s", "", twice[:1], (LEARNERS["gsmn"],) * 2, (EDGES,))
    clash = Study("s", "", twice[:1], (LEARNERS["gsmn"],), (EDGES, EDGES))
    with pytest.raises(InvalidOptionError, match="one name for two"):
        execute(clash.plan(1), clash.runs[0])


def test_metrics_are_those_of_the_package():
    truth = MarkovGraph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
    learned = MarkovGraph.from_edges(4, [(0, 1), (0, 3)])
    table = EncodedTable.from_codes(np.zeros((3, 4), int), [2] * 4, truth.names)
    instance = Instance(table, truth)
    found = {metric.name: metric.measure(learned, instance, 1) for metric in (EDGES, PRECISION, RECALL, F1)}
    assert found == {"edge_errors": 3, "precision": 1 / 2, "recall": 1 / 3, "f1": 2 / 5}
    assert 0 < INDEPENDENCES.measure(learned, instance, 1) < 1
    with pytest.raises(InvalidOptionError, match="is a table"):
        F1.measure(learned, Instance(table, table), 1)


def made_up_rows():
    """Rows of two learners in two cells of the published table."""
    errors = {
        ("gsmn", 200): [10, 12, 0, 0],
        ("hc", 200): [5, 3, 0, 2],
        ("gsmn", 5000): [1] * 4,
        ("hc", 5000): [9] * 4,
    }
    return pl.DataFrame(
        [
            {"tau": 1, "N": rows, "learner": learner, "repetition": k, "edge_errors": float(value)}
            for (learner, rows), values in errors.items()
            for k, value in enumerate(values)
        ]
    ).sort("N", maintain_order=True)


def made_up_table(**options):
    columns = (
        Column("HC", "edge_errors", "hc", published="hc"),
        Column("HC/GSMN", "edge_errors", "hc", "gsmn", published="ratio_hc", mark="mark_hc"),
        Column("TS", "edge_errors", "ts", published="ts"),
    )
    return ComparisonTable("t", "T", ("tau", "N"), columns, "n12_edge_hamming", **options)


def test_a_table_sums_up_as_the_definition_says():
    found = made_up_table(tolerance=stated_tolerance).compare(made_up_rows())
    mean, ratio, absent, high, high_ratio, _ = found
    assert (mean.ours, mean.published, mean.tolerance, mean.verdict) == (2.5, 3.7, 3.0, "agrees")
    assert mean.half_width == pytest.approx(naive.half_width([5, 3, 0, 2]), rel=1e-3)
    ratios, left_out = naive.ratios([5, 3, 0, 2], [10, 12, 0, 0])
    assert (ratio.ours, ratio.n_left_out, ratio.n_runs) == (naive.mean(ratios), left_out, 3)
    assert ratio.published_mark == "better"
    assert ratio.tolerance == pytest.approx(0.150 + naive.half_width(ratios), rel=1e-3)
    assert (high.ours, high.published, high.tolerance, high.verdict) == (9.0, 0.4, 1.5, "worse")
    assert (high_ratio.mark, high_ratio.verdict) == ("worse", "worse")
    assert math.isnan(absent.ours)
    assert absent.verdict == ""


def test_tables_are_laid_out_for_people_and_programs():
    found = made_up_table().compare(made_up_rows())
    heads, lines = wide(found)
    assert heads[:5] == ["tau", "N", "HC", "published", "verdict"]
    assert lines[1][:5] == ["1", "5000", "9.000(0.000)", "0.400(0.493)", "worse"]
    assert markdown((heads, lines)).count("\n") == 4
    table = pl.read_csv(long_csv(found).encode())
    assert table["ours"].drop_nulls().to_list() == [2.5, 0.583333, 9.0, 9.0]
    assert tally(found) == {"agrees": 2, "worse": 2}
    assert wide([]) == ([], [])


def test_narrow_tables_say_how_two_numbers_compare():
    heads, lines = narrow(made_up_table(tolerance=stated_tolerance).compare(made_up_rows()))
    assert heads == ["tau", "N", "HC", "HC/GSMN", "TS"]
    assert lines[0][2] == "2.50 ± 2.89 ≈ 3.70 ± 1.66"
    assert lines[0][3].startswith("0.583 ± 0.702 [1 left out] ≈ 0.364 ± 0.150*")
    assert lines[1][2:] == [
        "9.00 ± 0.00 > 0.400 ± 0.493",
        "9.00 ± 0.00! > 0.800 ± 0.247",
        "- | 0.900 ± 1.125",
    ]
    assert "&gt;" in markdown((heads, lines))
    assert narrow([]) == ([], [])


def test_the_cautious_error_asks_the_cautious_test():
    whole = PartOfTable("lenses", 3, 5, 24).draw(np.random.default_rng(1))
    graph = MarkovGraph.from_edges(5, [(0, 4), (2, 4)], whole.table.names)
    test = CautiousTest(whole.reference)
    triplets = draw_triplets(5, 2000, 7)
    wrong = sum(graph.separated(*each) != test.is_independent(*each) for each in triplets)
    assert CAUTIOUS_INDEPENDENCES.measure(graph, whole, 7) == wrong / 2000
    with pytest.raises(InvalidOptionError, match="is a structure"):
        CAUTIOUS_INDEPENDENCES.measure(graph, Instance(whole.table, graph), 7)


def test_tolerances_are_those_stated():
    hc, gsmn = Column("HC", "e", "hc"), Column("GSMN", "e", "gsmn")
    ratio = Column("r", "e", "hc", "gsmn")
    assert [stated_tolerance({"tau": 4, "N": n}, hc, 9, 9) for n in (40, 200, 800)] == [3, 3, 1.5]
    assert [stated_tolerance({"tau": 1, "N": n}, gsmn, 9, 9) for n in (200, 5000)] == [5, 2]
    assert stated_tolerance({"tau": 8, "N": 40}, hc, 1, 2) == overlap({}, hc, 1, 2) == 3
    assert stated_tolerance({"tau": 1, "N": 40}, ratio, 1, 2) == 3


def test_claims_look_at_the_cells_they_name():
    found = made_up_table(tolerance=stated_tolerance).compare(made_up_rows())
    assert all_agree("HC", 1)(found)[0] is False
    assert "not tau 1 N 5000: 9 (0.4)" in all_agree("HC", 1)(found)[1]
    assert all_agree("HC", 2)(found)[0] is None
    assert follows_marks("HC/GSMN", "better", 1)(found) == (True, "1 of 1 cells")
    assert falls_with_rows("HC/GSMN", 1)(found)[0] is False
    assert below("HC/GSMN", 10, 5000, 1)(found)[0] is True
    assert below("HC/GSMN", 1, 5000, 1)(found)[0] is False


def test_growth_finds_the_exponent():
    sizes = (10, 20, 40)
    assert slope(sizes, [n**2.5 for n in sizes]) == pytest.approx(2.5)
    assert slope((10, 20, 40), (0, 20, 40)) == pytest.approx(1)
    assert math.isnan(slope([10], [3]))
    rows = pl.DataFrame(
        [
            {"tau": 1, "N": 9, "n": n, "learner": "hc", "repetition": k, "n_ascents": float(n + k)}
            for n in sizes
            for k in range(3)
        ]
    )
    table = GrowthTable("g", "G", ("tau", "N"), "n_ascents", "hc", "M", 1.0, 0.5, {40: 30.0})
    found = table.compare(rows)
    assert [each.column for each in found] == ["M at n=10", "M at n=20", "M at n=40", "exponent"]
    assert [each.verdict for each in found] == ["", "", "higher", "agrees"]
    assert [each.ours for each in found[:3]] == [11, 21, 41]


def test_published_marks_follow_from_ratios_and_half_widths():
    """True of nearly all cells: the figures in parentheses are half-widths of intervals."""
    pairs = []
    for name in NAMES:
        for row in published_rows(name):
            for mark in (key for key in row if "mark" in key):
                ratio = {"mark": "ratio"}.get(mark) or mark.replace("mark", "ratio")
                low, high = row[ratio] - row[f"{ratio}_sd"], row[ratio] + row[f"{ratio}_sd"]
                pairs.append((row[mark], "better" if high < 1 else "worse" if low > 1 else ""))
    assert len(pairs) == 160
    assert sum(printed == found for printed, found in pairs) >= 155


def test_the_papers_studies_cover_its_tables():
    studies = paper_studies()
    for name, study in studies.items():
        assert study.name == name
        assert 0 < len(study.shortened().runs) < len(study.runs)
    cells = {(each.tau, each.N) for each in studies["n12"].problems}
    assert cells == {(row["tau"], row["N"]) for row in published_rows("n12_edge_hamming")}
    cells = {(each.tau, each.N) for each in studies["n50"].problems}
    assert cells == {(row["tau"], row["N"]) for row in published_rows("n50_hamming")}
    assert {(each.n, each.tau, each.N) for each in studies["runtime"].problems} >= {(50, 8, 12000)}


def test_a_part_of_a_table_keeps_its_states_and_is_held_against_the_whole():
    problem = PartOfTable("car", 5, 7, 1728)
    instance = problem.draw(np.random.default_rng(1))
    assert instance.table.n_samples == 345
    assert instance.reference.n_samples == 1728
    assert instance.table.cardinalities.tolist() == instance.reference.cardinalities.tolist()
    other = problem.draw(np.random.default_rng(2))
    assert not np.array_equal(instance.table.codes, other.table.codes)
    whole = {tuple(row) for row in instance.reference.codes.tolist()}
    assert len({tuple(row) for row in instance.table.codes.tolist()} & whole) == 345


def test_sets_that_cannot_be_had_are_left_out_with_a_reason(monkeypatch, tmp_path):
    def fail(*_, **__):
        raise OSError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fail)
    study = paper_studies(tmp_path)["benchmark-fifth"]
    kept, reasons = study.obtainable()
    assert {problem.dataset for problem in kept.problems} == {
        *("lenses", "baloons", "balance-scale", "nursery", "car", "tictactoe", "monks-1")
    }
    assert len(reasons) == 8
    assert all("--data" in reason for reason in reasons)
    assert {problem.N for problem in kept.problems if problem.dataset == "monks-1"} == {432}


def test_benchmark_rows_are_found_by_the_name_of_the_set(tmp_path):
    study = paper_studies()["benchmark-third"].shortened()
    small = replace(study, problems=tuple(p for p in study.problems if p.dataset in ("lenses", "baloons")))
    rows = run_study(small, tmp_path, n_jobs=1)
    found = small.reports[0].table.compare(rows)
    assert {each.factors["dataset"] for each in found} == {"lenses", "baloons"}
    assert [each.published for each in found if each.factors["dataset"] == "lenses"] == [
        0.306,
        0.145,
        0.545,
        2.2,
    ]
    with pytest.raises(FileFormatError, match=r"bins width.*not of.*bins frequency"):
        run_study(paper_studies(bins="frequency")["benchmark-third"], tmp_path)


@given(tables(), st.data())
def test_the_cautious_test_trusts_no_more_slices_than_rows(table, data):
    x, y, given_set = data.draw(queries(table))
    n_slices = math.prod(int(table.cardinalities[z]) for z in given_set)
    found = CautiousTest(table).is_independent(x, y, given_set)
    plain = BayesianTest(table).is_independent(x, y, given_set)
    assert found == (plain or n_slices > table.n_samples)


def test_learners_count_what_they_did():
    table = SampledNetwork(6, 2, 200).draw(np.random.default_rng(3)).table
    counters = {name: set(learner.learn(table).counters) for name, learner in LEARNERS.items()}
    assert counters == {
        "gsmn": {"n_tests"},
        "ts": {"n_tests", "score"},
        "hc": {"n_tests", "n_ascents", "score"},
        "hc-from-empty": {"n_tests", "n_ascents", "score"},
        "cautious-gsmn": {"n_tests"},
        "cautious-hc": {"n_tests", "n_ascents", "score"},
    }


def test_wide_tables_are_cut_to_fit_and_lose_nothing():
    heads, lines = wide(made_up_table().compare(made_up_rows()))
    for width in (1, 40, 70, 1000):
        parts = fitted((heads, lines), 2, width)
        assert [head for part, _ in parts for head in part[2:]] == heads[2:]
        assert all(part[:2] == ["tau", "N"] and part[2] != "published" for part, _ in parts)
        if width == 70:
            for head, rows in parts:
                columns = zip(head, *rows, strict=True)
                assert sum(max(map(len, column)) + 2 for column in columns) - 2 <= 70
    assert len(fitted((heads, lines), 2, 1000)) == 1
