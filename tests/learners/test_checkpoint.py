"""A search that was interrupted anywhere and resumed is the search that was not."""

import base64
import dataclasses
import json
import shutil
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ibmap
from ibmap import IBMAPHC, StopSearch
from ibmap.data.records import as_record
from ibmap.data.table import EncodedTable
from ibmap.errors import FileFormatError, InvalidOptionError, SearchWarning
from ibmap.learners import GSMNOptions, HillClimbingOptions, learn_gsmn, learn_hc
from ibmap.learners.arrays import PackedArray, packed, unpacked
from ibmap.learners.checkpoint import digest_of
from ibmap.search.cost import DistinctTests
from strategies import tables

pytestmark = pytest.mark.compiled_only("a search that is cut and goes on calls the same kernels")


def facts(result):
    """Everything a result holds but the time it took."""
    content = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    return content | {"provenance": dataclasses.replace(result.provenance, seconds=0.0)}


class Impatient:
    """A callback that counts its calls and raises at one of them."""

    def __init__(self, limit=None, error=StopSearch):
        self.calls, self.limit, self.error, self.phases = 0, limit, error, []

    def __call__(self, progress):
        self.calls += 1
        self.phases.append(progress.phase)
        if self.limit is not None and self.calls >= self.limit:
            raise self.error


def learn(table, options, **running):
    """Learn without the warning that the search was cut."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SearchWarning)
        return learn_hc(table, options, **running)


def some_table(n_rows=400, n_variables=7, seed=1, n_states=2):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, n_states, n_rows)]
    for _ in range(n_variables - 1):
        codes.append(np.where(rng.random(n_rows) < 0.7, codes[-1], rng.integers(0, n_states, n_rows)))
    return EncodedTable.from_codes(np.stack(codes, axis=1))


@settings(max_examples=12)
@given(data=st.data())
def test_interrupted_at_any_step_and_resumed_it_is_the_same(data, tmp_path_factory):
    table = data.draw(tables(max_variables=5, max_rows=40, max_states=3))
    options = HillClimbingOptions(start=data.draw(st.sampled_from(["gsmn", "empty", "best"])))
    patient = Impatient()
    whole = facts(learn(table, options, callback=patient))
    folder = tmp_path_factory.mktemp("kept")
    for limit in range(1, patient.calls + 1):
        path = folder / f"{limit}.json"
        cut = learn(table, options, callback=Impatient(limit), checkpoint=path)
        if "settling" not in patient.phases[limit - 1 :]:
            assert cut.stopped == "interrupted" or limit == patient.calls
        again = learn(table, options, resume=path)
        assert facts(again) == whole


@pytest.mark.parametrize("n_states", [2, 3])
def test_interrupted_again_and_again_it_still_arrives(tmp_path, n_states):
    table, options = some_table(n_states=n_states), HillClimbingOptions(start="best")
    whole = facts(learn(table, options))
    assert whole["n_ascents"] > 0
    path = tmp_path / "kept.json"
    found = learn(table, options, callback=Impatient(3), checkpoint=path)
    n_runs = 1
    while found.stopped == "interrupted":
        # the start is told of too, a step for each variable: let each run get a little further
        found = learn(table, options, callback=Impatient(12), resume=path, n_threads=1 + n_runs % 2)
        n_runs += 1
    assert n_runs > 3
    assert facts(found) == whole


def test_a_killed_search_goes_on_from_the_last_writing(tmp_path, monkeypatch):
    monkeypatch.setattr("ibmap.learners.checkpoint.INTERVAL", 0.0)
    monkeypatch.setattr("ibmap.learners.checkpoint.MAX_SHARE", 1e9)
    table, options = some_table(), HillClimbingOptions(start="empty")
    patient = Impatient()
    whole = facts(learn(table, options, callback=patient))
    for limit in range(1, patient.calls + 1):
        path = tmp_path / f"{limit}.json"
        with pytest.raises(KeyboardInterrupt):
            learn(table, options, callback=Impatient(limit, KeyboardInterrupt), checkpoint=path)
        heard = Impatient()
        assert facts(learn(table, options, resume=path, callback=heard)) == whole
        assert heard.calls <= patient.calls - limit + 3  # little was done twice


def test_limits_may_differ_and_count_from_the_beginning(tmp_path):
    table, path = some_table(), tmp_path / "kept.json"
    whole = learn(table, HillClimbingOptions(start="empty"))
    for limit in range(len(whole.trace)):
        first = HillClimbingOptions(start="empty", max_ascents=limit)
        running = {"checkpoint": path} if limit == 0 else {"resume": path}
        found = learn(table, first, **running)
        assert (found.stopped, found.trace) == ("max_ascents", whole.trace[:limit])
    last = learn(table, HillClimbingOptions(start="empty"), resume=path)
    assert last.trace == whole.trace
    assert (last.n_tests, last.n_iterations, last.score) == (whole.n_tests, whole.n_iterations, whole.score)
    assert facts(learn(table, HillClimbingOptions(start="empty"), resume=path))["trace"] == whole.trace


def test_resuming_what_is_finished_gives_it_again(tmp_path):
    table, options, path = some_table(), HillClimbingOptions(), tmp_path / "kept.json"
    whole = learn(table, options, checkpoint=path)
    assert json.loads(path.read_text())["is_finished"]
    assert facts(learn(table, options, resume=path)) == facts(whole)
    again = learn(table, options, checkpoint=path)  # a finished one may be overwritten
    assert facts(again) == facts(whole)
    assert again.provenance.seconds > 0


def test_seconds_of_all_runs_add_up(tmp_path):
    table, options, path = some_table(), HillClimbingOptions(start="empty"), tmp_path / "kept.json"
    learn(table, options, callback=Impatient(2), checkpoint=path)
    content = json.loads(path.read_text())
    content["seconds"] = 1000.0
    sealed(path, content)
    assert learn(table, options, resume=path).provenance.seconds > 1000


def sealed(path, content):
    """Write doctored content with the digest that fits it."""
    content = {key: value for key, value in content.items() if key != "digest"}
    path.write_text(json.dumps({**content, "digest": digest_of(content)}))


def array(content):
    """An array in a file."""
    return np.frombuffer(base64.b64decode(content["data"]), content["dtype"])


def kept_search(tmp_path, **options):
    path = tmp_path / "kept.json"
    learn(some_table(), HillClimbingOptions(**options), callback=Impatient(9), checkpoint=path)
    return path


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (some_table(seed=2), {}, "another table"),
        (some_table(), {"prior": 0.25}, r"prior=0\.5; this run has prior=0\.25"),
        (some_table(), {"start": "empty"}, "start='gsmn'; this run has start='empty'"),
        (some_table(), {"slices": "seen"}, "slices='all'"),
        (some_table(), {"start": np.zeros((7, 7), bool)}, "start"),
    ],
    ids=["table", "prior", "start", "slices", "graph"],
)
def test_another_run_is_refused_by_name(tmp_path, table, options, message):
    path = kept_search(tmp_path)
    with pytest.raises(InvalidOptionError, match=message):
        learn_hc(table, HillClimbingOptions(**options), resume=path)


def test_a_start_of_ones_own_must_be_the_same(tmp_path):
    graph = np.zeros((7, 7), bool)
    graph[0, 6] = graph[6, 0] = True
    path = kept_search(tmp_path, start=graph)
    whole = learn(some_table(), HillClimbingOptions(start=graph))
    with pytest.raises(InvalidOptionError, match="start_edges"):
        learn_hc(some_table(), HillClimbingOptions(start=np.zeros((7, 7), bool)), resume=path)
    assert facts(learn(some_table(), HillClimbingOptions(start=graph), resume=path)) == facts(whole)


def test_another_version_is_refused(tmp_path):
    path = kept_search(tmp_path)
    content = json.loads(path.read_text())
    content["identity"]["version"] = "0.0.9"
    sealed(path, content)
    with pytest.raises(InvalidOptionError, match=r"version='0\.0\.9'"):
        learn_hc(some_table(), HillClimbingOptions(), resume=path)


def test_nothing_of_value_is_overwritten(tmp_path):
    path = kept_search(tmp_path)
    before = path.read_bytes()
    with pytest.raises(InvalidOptionError, match=r"not finished.*--resume"):
        learn_hc(some_table(), HillClimbingOptions(), checkpoint=path)
    other = tmp_path / "thesis.txt"
    other.write_text("years of work")
    with pytest.raises(InvalidOptionError, match="no checkpoint"):
        learn_hc(some_table(), HillClimbingOptions(), checkpoint=other)
    with pytest.raises(InvalidOptionError, match="no checkpoint"):
        learn_hc(some_table(), HillClimbingOptions(), checkpoint=other, resume=path)
    assert other.read_text() == "years of work"
    assert path.read_bytes() == before


def test_a_search_may_go_on_in_another_file(tmp_path):
    path = kept_search(tmp_path)
    before = path.read_bytes()
    found = learn(some_table(), HillClimbingOptions(), resume=path, checkpoint=tmp_path / "new.json")
    assert facts(found) == facts(learn(some_table(), HillClimbingOptions()))
    assert path.read_bytes() == before
    assert json.loads((tmp_path / "new.json").read_text())["is_finished"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda c: c.pop("climbs"),
        lambda c: c.update(climbs=[]),
        lambda c: c["climbs"][0].update(n_looked=99),
        lambda c: c["climbs"][0].update(edges=[[0, 99]]),
        lambda c: c["climbs"][0]["changes"].update(data="!!!"),
        lambda c: c["climbs"][0]["changes"].update(shape=[2, 2]),
        lambda c: c["climbs"][0]["changes"].update(dtype="object"),
        lambda c: c["climbs"][0].pop("trace"),
        lambda c: c["tests"].pop("sets"),
        lambda c: c.update(seconds="long"),
        lambda c: c["tests"].update(earlier=packed(np.zeros(len(array(c["tests"]["earlier"])), np.int64))),
        lambda c: c["tests"].update(newest=packed(np.full(7, 10**6))),
        lambda c: c["tests"].update(n_tests=packed(np.array([-5]))),
        lambda c: c["climbs"][0].update(changes=packed(np.zeros((7, 7)))),
        lambda c: c["climbs"][0].update(changes=packed(np.full((7, 7), np.nan))),
        lambda c: c["climbs"][0].update(is_exact=packed(np.ones((7, 7)))),
        lambda c: c["climbs"][0]["changes"].update(shape=[10**9, 10**9]),
        lambda c: c["climbs"][0].update(n_iterations=-1),
        lambda c: c.update(identity=None),
        lambda c: c.update(climbs=None),
    ],
    ids=range(20),
)
def test_a_damaged_checkpoint_is_refused(tmp_path, damage):
    path = kept_search(tmp_path)
    content = json.loads(path.read_text())
    assert content["climbs"][0] is not None
    damage(content)
    path.write_text(json.dumps(content))
    with pytest.raises(FileFormatError, match="damaged"):
        learn_hc(some_table(), HillClimbingOptions(), resume=path)
    sealed(path, content)
    with pytest.raises(FileFormatError, match=r"damaged|another score"):
        learn_hc(some_table(), HillClimbingOptions(), resume=path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot read"),
        ("[]", "not a checkpoint"),
        ('{"format": "ibmap-checkpoint", "format_version": 99}', "does not read"),
        (None, "no checkpoint"),
    ],
)
def test_what_is_no_checkpoint_is_refused(tmp_path, text, message):
    path = tmp_path / "kept.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(FileFormatError, match=message):
        learn_hc(some_table(), HillClimbingOptions(), resume=path)


def test_a_full_disk_ends_the_keeping_but_not_the_search(tmp_path, monkeypatch):
    monkeypatch.setattr("ibmap.learners.checkpoint.INTERVAL", 0.0)
    folder = tmp_path / "folder"
    folder.mkdir()
    whole = learn(some_table(), HillClimbingOptions())

    def vanish(progress):
        if progress.phase == "scoring" and folder.exists():
            shutil.rmtree(folder)

    with pytest.warns(SearchWarning, match="goes on without") as caught:
        found = learn_hc(
            some_table(), HillClimbingOptions(), callback=vanish, checkpoint=folder / "kept.json"
        )
    assert [w.category for w in caught].count(SearchWarning) == 1
    assert found.graph == whole.graph
    with pytest.raises(FileNotFoundError):
        learn_hc(some_table(), HillClimbingOptions(), checkpoint=tmp_path / "nowhere" / "kept.json")


@given(st.data())
def test_arrays_survive_bit_by_bit(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=3)))
    dtype = data.draw(st.sampled_from(["float64", "int64", "uint64", "bool"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    values = rng.integers(0, 2**63, shape).astype(dtype)
    if dtype == "float64":
        values = rng.normal(size=shape) * np.where(rng.random(shape) < 0.2, -np.inf, 1.0)
    again = unpacked(as_record(json.loads(json.dumps(packed(values))), PackedArray, "array"), dtype, shape)
    assert again.dtype == values.dtype
    assert again.shape == values.shape
    assert again.tobytes() == np.ascontiguousarray(values).tobytes()


@given(st.integers(1, 40), st.integers(0, 2**32))
def test_counting_tests_goes_on_where_it_was(n_blankets, seed):
    rng = np.random.default_rng(seed)
    blankets = [(int(x), np.flatnonzero(rng.random(6) < 0.4)) for x in rng.integers(0, 6, n_blankets)]
    blankets = [(x, [y for y in blanket.tolist() if y != x]) for x, blanket in blankets]
    whole, first = DistinctTests(6), DistinctTests(6)
    for each in blankets:
        whole.count(*each)
    for each in blankets[: n_blankets // 2]:
        first.count(*each)
    second = DistinctTests.from_state(first.state())
    for each in blankets[n_blankets // 2 :]:
        second.count(*each)
    assert second.n_tests == whole.n_tests


def test_an_estimator_stops_cleanly_when_its_callback_says_so():
    heard = Impatient(5)
    with pytest.warns(SearchWarning, match="interrupted after"):
        learner = IBMAPHC(start="empty", callback=heard).fit(some_table())
    assert learner.result_.stopped == "interrupted"
    assert not learner.result_.is_complete
    assert heard.calls == 5
    assert learner.score_ == pytest.approx(ibmap.ib_score(some_table(), learner.adjacency_))
    with pytest.raises(KeyboardInterrupt):
        IBMAPHC(callback=Impatient(1, KeyboardInterrupt)).fit(some_table())


def test_a_start_that_is_interrupted_is_scored_as_far_as_it_came():
    with pytest.warns(SearchWarning, match="interrupted after 0 ascents"):
        result = learn_hc(some_table(), HillClimbingOptions(), callback=Impatient(4))
    assert result.stopped == "interrupted"
    assert result.evidence == ()
    assert result.score == pytest.approx(ibmap.ib_score(some_table(), result.graph))


def test_gsmn_tells_of_its_variables_and_can_be_stopped():
    table, heard = some_table(), Impatient()
    whole = learn_gsmn(table, GSMNOptions(), callback=heard)
    assert heard.phases == ["blankets"] * 7
    assert whole.stopped == "finished"
    assert whole.n_tests == learn_gsmn(table, GSMNOptions()).n_tests
    with pytest.warns(SearchWarning, match="not reached"):
        cut = learn_gsmn(table, GSMNOptions(), callback=Impatient(3))
    assert cut.stopped == "interrupted"
    assert set(cut.graph.edges) <= set(whole.graph.edges)
    assert 0 < cut.n_tests < whole.n_tests
