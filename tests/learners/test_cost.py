"""What a table will cost is told beforehand, and a limit is kept."""

import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import ibmap
from ibmap.cli import main
from ibmap.data.memory import available
from ibmap.data.scratch import room
from ibmap.data.table import EncodedTable
from ibmap.errors import SearchWarning, StopSearch, TooLargeError
from ibmap.independence.regression import Regressions
from ibmap.learners import LEARNERS
from ibmap.learners.cost import check_memory, estimate, threads_within


def table(n_rows, n_variables, n_states=2, seed=0):
    codes = np.random.default_rng(seed).integers(0, n_states, (n_rows, n_variables))
    return EncodedTable.from_codes(codes, [n_states] * n_variables)


def test_more_of_anything_costs_more():
    small = estimate(table(50, 5), "ibmap")
    for larger in (table(5000, 5, 3), table(50, 50), table(50, 5, 9)):
        cost = estimate(larger, "ibmap")
        assert cost.n_bytes >= small.n_bytes and cost.seconds > small.seconds


def test_a_table_in_a_file_costs_rows_not_cells_and_threads_only_as_memory_allows():
    held = table(2000, 12)
    codes = room(held.codes.shape, held.codes.dtype, in_file=True)
    codes[:] = held.codes
    mapped = replace(held, codes=codes)
    assert estimate(mapped, "ibmap").n_bytes < estimate(held, "ibmap").n_bytes - 100 * 2000
    assert estimate(mapped, "gsmn") == estimate(held, "gsmn")  # which holds what it reads
    assert [threads_within(mapped, 8, limit) for limit in (10**6, 250_100_000, None)] == [1, 6, 8]
    holed = replace(mapped, missing=np.ones(codes.shape, bool))  # filled in in memory
    assert threads_within(held, 8, 10**6) == threads_within(holed, 8, 10**6) == 8


@pytest.mark.parametrize(
    ("n_variables", "n_rows", "n_states", "seconds", "megabytes"),
    [  # as measured: docs/scale.md, docs/promises.md
        (1_000, 2_000, 2, 16.7, 476),
        (2_000, 2_000, 2, 14.4, 414),
        (10_000, 2_000, 2, 207.1, 1_285),
        (2_000, 200, 2, 11.7, 380),
        (50, 5_000, 8, 16.8, 331),
        (30, 1_000_000, 2, 16.3, 685),
    ],
)
def test_the_estimate_is_near_what_was_measured(n_variables, n_rows, n_states, seconds, megabytes):
    cardinalities = np.full(n_variables, n_states)
    codes = np.zeros((0, n_variables), np.uint16)
    shape = {"n_variables": n_variables, "n_rows": n_rows, "distinct": None, "cardinalities": cardinalities}
    shape |= {"codes": codes, "missing": None}
    cost = estimate(SimpleNamespace(**shape), "ibmap")
    assert 1 / 2 < cost.n_bytes / (megabytes * 1e6) < 2
    assert 1 / 4 < cost.seconds / seconds < 4


def test_a_table_that_takes_long_is_told_of_before_work_begins(tmp_path, monkeypatch, capsys):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "1,2,1\n2,1,1\n1,2,2\n" * 10)
    for longest, is_told in ((1e-9, True), (60, False)):
        monkeypatch.setattr("ibmap.cli.learn.LONG", longest)
        with pytest.raises(SystemExit) as ended:
            main(["learn", str(path)])
        assert not ended.value.code
        assert ("this may take about" in capsys.readouterr().err) == is_told


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "ts"])
def test_no_learner_begins_what_it_has_no_memory_for(name):
    entry = LEARNERS[name]
    with pytest.raises(TooLargeError, match=r"would take about .* GB.*--max-memory.*--drop"):
        entry.learn(table(20, 4), entry.options(max_memory="10 MB"))


def test_what_the_machine_does_not_have_is_refused_unasked():
    assert available() is None or available() > 1e7
    shape = {"n_variables": 10**6, "n_rows": 1, "distinct": None, "cardinalities": np.full(10**6, 2)}
    shape["codes"] = np.zeros((1, 1), np.uint16)
    wide = SimpleNamespace(**shape)
    with pytest.raises(TooLargeError, match="more than there is"):
        check_memory(wide, "ibmap", None)


@pytest.mark.compiled_only("what takes seconds here would take minutes")
@pytest.mark.parametrize("learner", [ibmap.IBMAP, ibmap.GSMN, ibmap.IAMB, ibmap.HITON, ibmap.GSMNStar])
def test_seconds_are_kept_inside_long_phases(learner):
    data = table(400, 60, 16) if learner is ibmap.IBMAP else table(60, 400)
    begun = time.perf_counter()
    with pytest.warns(SearchWarning, match="max_seconds"):
        result = learner(max_seconds=0.5).fit(data).result_
    assert result.stopped == "max_seconds"
    assert time.perf_counter() - begun < 60  # without the limit it takes minutes
    assert ibmap.SearchResult.from_json(result.to_json()).stopped == "max_seconds"


@pytest.mark.filterwarnings("ignore:the search was interrupted")
@pytest.mark.compiled_only("what takes seconds here would take minutes")
def test_a_start_with_more_neighbours_than_rows_can_tell_of_is_told_before_the_climb():
    def stop(progress):
        if progress.phase != "blankets":
            raise StopSearch

    with pytest.warns(SearchWarning, match=r"3 rows cannot tell of.*start='empty'.*max_seconds"):
        ibmap.IBMAPHC(callback=stop).fit(table(3, 120))


def test_a_score_that_would_take_long_is_left_out(monkeypatch):
    monkeypatch.setattr("ibmap.search.hill_climbing.GRACE", -1.0)
    with pytest.warns(SearchWarning, match="max_seconds"):
        result = ibmap.IBMAPHC(start="empty", max_seconds=1e-9).fit(table(60, 40)).result_
    assert result.score is None and result.stopped == "max_seconds"
    assert ibmap.SearchResult.from_json(result.to_json()).score is None


@pytest.mark.compiled_only("what takes seconds here would take minutes")
@pytest.mark.filterwarnings("ignore:.*edges have next to no evidence")
def test_a_climb_from_a_dense_start_ends_soon_after_its_limit():
    wide = table(3, 250)  # without the limit it takes minutes
    begun = time.process_time()
    with pytest.warns(SearchWarning, match="max_seconds"):
        result = ibmap.IBMAPHC(max_seconds=2).fit(wide).result_
    assert result.stopped == "max_seconds"
    assert time.process_time() - begun < 15


def test_relations_that_would_take_long_are_left_out_of_a_search_that_was_cut(monkeypatch):
    data = table(60, 12)
    assert ibmap.GSMN().fit(data).result_.predictability
    with pytest.warns(SearchWarning, match="max_seconds"):
        cut = ibmap.GSMN(max_seconds=1e-9).fit(data).result_
    assert cut.predictability  # they take no time here
    monkeypatch.setattr("ibmap.result.relating.GRACE", -1.0)
    with pytest.warns(SearchWarning, match="max_seconds"):
        cut = ibmap.GSMN(max_seconds=1e-9).fit(data).result_
    assert cut.predictability == () and cut.relations == ()
    assert ibmap.GSMN().fit(data).result_.predictability


def test_many_fits_of_a_small_table_are_compiled(monkeypatch):
    asked = []
    monkeypatch.setattr("ibmap.learners.recommended.MANY_FITS", 10)
    monkeypatch.setattr(Regressions, "compile", lambda own: asked.append(own.n_variables))
    ibmap.IBMAP().fit(table(60, 8))
    assert asked == [8]
