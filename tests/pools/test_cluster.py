"""A real local cluster: worker processes, killed ones, wrong ones."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial

import numpy as np
import polars
import pytest

import ibmap
from ibmap.confidence.learned import nameless, score_of
from ibmap.confidence.sampling import SamplingPlan, sample_posterior
from ibmap.errors import ClusterError, InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.independence.averaged import AveragedTest
from ibmap.learners import LEARNERS
from ibmap.pools.cluster import ClusterPool, connected
from ibmap.pools.shards import Shards
from ibmap.pools.threads import ThreadPool
from ibmap.progress import Monitor
from ibmap.reproduce.execution import TIMES
from ibmap.reproduce.metrics import EDGES
from ibmap.reproduce.paper_learners import LEARNERS as STUDIED
from ibmap.reproduce.problems import SampledNetwork
from ibmap.reproduce.runner import run_study
from ibmap.reproduce.study import Study
from ibmap.simulate import random_network

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.compiled_only("worker processes say nothing new about kernels"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),
]


def local_cluster(n_workers):
    # 15 s after a worker has gone, dask ends for good the one of its name if it is being restarted just then
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0"
    )


@pytest.fixture(scope="module")
def client():
    with local_cluster(2) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def one_worker():
    with local_cluster(1) as cluster, distributed.Client(cluster) as client:
        yield client


def table_of(n=30, n_rows=2_000, seed=0):
    return random_network(n, 3, random_state=seed).sample(n_rows, random_state=seed)


def with_holes(rows, seed=0):
    codes = rows.astype(float)
    codes[np.random.default_rng(seed).random(codes.shape) < 0.03] = np.nan
    return codes


def told(result):
    content = result.to_dict()
    del content["provenance"]["seconds"]
    return json.dumps(content, sort_keys=True)


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (table_of(), {}),
        (table_of(seed=1), {"ascent": "rounds"}),
        (table_of(40, seed=2), {"screen": 6}),
        (table_of(6, 200), {}),
        (with_holes(table_of(22, 1_500)), {}),
        (table_of(25, 1_500, seed=3), {"require": [("x0", "x9")], "ordered": True, "prior": 0.8}),
    ],
    ids=["binary", "rounds", "screened", "small", "holes", "known"],
)
def test_a_cluster_finds_the_same_bytes(client, rows, options):
    here = ibmap.IBMAP(**options).fit(rows)
    there = ibmap.IBMAP(**options).fit(rows, client=client)
    assert told(here.result_) == told(there.result_)
    if not np.isnan(rows).any():
        spread = ibmap.IBMAP(**options).fit(rows, client=client, spread="rows")
        assert told(here.result_) == told(spread.result_)
        assert not any(client.run(lambda dask_worker: len(dask_worker.data)).values())
    left = client.run(lambda dask_worker: [*dask_worker.plugins])
    assert not any(name.startswith("ibmap") for names in left.values() for name in names)


@pytest.mark.parametrize("spread", ["variables", "rows"])
def test_a_killed_worker_costs_time_and_not_the_answer(client, spread):
    rows = table_of(60, 20_000)
    here, killed = ibmap.IBMAP().fit(rows), []

    def kill(progress):
        if progress.n_ascents > 5 * (1 + len(killed)) and len(killed) < 2:
            pids = client.run(os.getpid, on_error="ignore")
            killed.append(pids[sorted(pids)[0]])
            threading.Timer(0.02, os.kill, (killed[-1], signal.SIGKILL)).start()

    there = ibmap.IBMAP(callback=kill).fit(rows, client=client, spread=spread)
    assert len({*killed}) == 2
    assert told(here.result_) == told(there.result_)


@pytest.fixture
def lone_worker(one_worker):
    """Besides a worker that is brought back, one that is not."""
    line = ["worker", one_worker.scheduler.address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
    process = subprocess.Popen([sys.executable, "-m", "dask", *line], stderr=subprocess.DEVNULL)
    one_worker.wait_for_workers(2, timeout=60)
    yield process
    process.kill()
    process.wait()


def test_where_one_worker_is_left_nothing_ends(one_worker, lone_worker):
    def blocks_of(k):
        return np.full(1000, k)

    def slow_sum(blocks, seconds):
        time.sleep(seconds)
        return sum(int(each.sum()) for each in blocks)

    with ClusterPool(one_worker) as pool:
        shards = Shards(pool, blocks_of, 6)
        assert sorted(shards.ask(slow_sum, 0)) == [6_000, 9_000]  # each worker has its own
        held = pool.hold((20, 3))
        threading.Timer(0.3, lone_worker.kill).start()
        assert sum(shards.ask(slow_sum, 1)) == 15_000
        assert shards.ask(slow_sum, 0) == [15_000]  # all at the one that is left
        assert pool.map(type(held).get, [held] * 3) == [(20, 3)] * 3
        assert len(one_worker.nthreads()) == 1


def test_a_worker_that_joins_takes_over_some_of_the_rows(one_worker):
    def own_pid(blocks):
        return os.getpid(), sorted(int(each[0]) for each in blocks)

    with ClusterPool(one_worker) as pool:
        shards = Shards(pool, lambda k: np.full(3, k), 4)
        assert [blocks for _, blocks in shards.ask(own_pid)] == [[0, 1, 2, 3]]
        one_worker.cluster.scale(2)
        one_worker.wait_for_workers(2, timeout=60)
        pool.workers(is_lost=True)
        answers = shards.ask(own_pid)
        assert len({pid for pid, _ in answers}) == 2
        assert sorted(blocks for _, blocks in answers) == [[0, 1], [2, 3]]


def test_a_block_that_ends_every_worker_ends_the_run_with_a_word(one_worker):
    with ClusterPool(one_worker) as pool:
        shards = Shards(pool, lambda k: k, 1)
        with pytest.raises(ClusterError, match="4 workers in a row died with the same block of rows"):
            shards.ask(lambda blocks: os._exit(1))


def test_a_value_that_a_worker_lost_is_brought_again(client):
    with ClusterPool(client) as pool:
        held = pool.hold((1, 2))
        client.run(lambda dask_worker: dask_worker.plugins.pop(held.name))
        assert pool.map(type(held).get, [held] * 4) == [(1, 2)] * 4


def test_what_is_spread_is_a_choice_and_belongs_to_a_client(client):
    with pytest.raises(InvalidOptionError, match="spread='rows' says what the workers of a cluster share"):
        ibmap.IBMAP().fit(table_of(5, 100), spread="rows")
    with pytest.raises(InvalidOptionError, match=r"spread must be .*variables.*rows.*got 'columns'"):
        ibmap.IBMAP().fit(table_of(5, 100), client=client, spread="columns")
    with pytest.raises(
        InvalidOptionError, match=r"rows cannot be spread over the workers: .*cells are missing"
    ):
        ibmap.IBMAP().fit(with_holes(table_of(5, 100)), client=client, spread="rows")


def test_results_come_in_the_order_of_the_calls(client):
    with ClusterPool(client) as pool, ThreadPool(2) as threads:
        for n in (0, 1, 2, 7, 100):
            calls = [range(n), range(1, n + 1)]
            assert pool.map(divmod, *calls) == threads.map(divmod, *calls) == [(0, k) for k in range(n)]


def test_codes_and_counts_travel_and_no_name_or_label():
    rows = [["label-a", "label-b"][k % 2 : k % 2 + 1] * 2 for k in range(100)]
    named = ibmap.encode(rows)
    test = AveragedTest(named)
    sent = pickle.dumps(test.regressions.fits)
    assert b"label" not in sent and b"x0" not in sent
    assert b"label" in pickle.dumps(named)


def test_a_callback_ends_the_search_with_the_best_so_far(client):
    def stop(progress):
        if progress.n_ascents == 3:
            raise ibmap.StopSearch

    with pytest.warns(ibmap.errors.SearchWarning, match="interrupted after 3 ascents"):
        found = ibmap.IBMAP(callback=stop).fit(table_of(), client=client)
    assert found.n_ascents_ == 3


def test_time_limits_hold(client):
    with pytest.warns(ibmap.errors.SearchWarning, match="max_seconds"):
        found = ibmap.IBMAP(max_seconds=0.0001).fit(table_of(60, 20_000), client=client)
    assert found.n_ascents_ == 0


def test_without_workers_there_is_an_error_at_once_or_when_the_last_is_gone():
    with local_cluster(0) as cluster, distributed.Client(cluster) as client:
        with pytest.raises(ClusterError, match="no worker is connected to the scheduler at tcp://"):
            ibmap.IBMAP().fit(table_of(), client=client)
        cluster.scale(1)
        client.wait_for_workers(1)
        pool = ClusterPool(client, patience=1)
        timer = threading.Timer(0.5, cluster.scale, (0,))
        timer.start()
        with pytest.raises(ClusterError, match="no worker is left at tcp://"), pool:
            pool.map(time.sleep, [30, 30])
        timer.join()


def test_a_worker_of_another_version_or_without_the_package_is_named(one_worker):
    address = next(iter(one_worker.nthreads()))
    one_worker.run(lambda: setattr(__import__("ibmap"), "__version__", "9.9"))
    expected = f"the worker {address} has ibmap 9.9, here is ibmap {ibmap.__version__}; .* install them"
    with pytest.raises(ClusterError, match=expected):
        ibmap.IBMAP().fit(table_of(), client=one_worker)
    one_worker.run(lambda: __import__("sys").modules.__setitem__("ibmap", None))
    with pytest.raises(ClusterError, match=f"the worker {address} has no ibmap"):
        ibmap.IBMAP().fit(table_of(), client=one_worker)


def test_a_worker_that_joins_with_another_version_is_named(one_worker):
    with ClusterPool(one_worker) as pool:
        held = pool.hold((1, 2))
        one_worker.run(lambda: setattr(__import__("ibmap"), "__version__", "9.9"))
        with pytest.raises(ClusterError, match=r"the worker tcp://\S+ has ibmap 9.9, not"):
            pool.map(type(held).get, [held])


@pytest.mark.parametrize("name", ["IBMAPHC", "IBMAPTS", "GSMN", "IAMB"])
def test_learners_that_cannot_use_a_cluster_have_no_such_argument(name):
    with pytest.raises(TypeError, match="client"):
        getattr(ibmap, name)().fit(table_of(5, 100), client=object())
    assert [each for each, learner in LEARNERS.items() if learner.is_distributed] == ["ibmap"]


def test_what_is_not_a_client_is_refused():
    with pytest.raises(InvalidOptionError, match=r"client must be a dask\.distributed\.Client"):
        ibmap.IBMAP().fit(table_of(5, 100), client="tcp://127.0.0.1:8786")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_an_address_without_a_scheduler_is_an_error(address):
    with pytest.raises(ClusterError, match=f"no scheduler answers at '{address}'"), connected(address, 0.5):
        pass


@pytest.mark.parametrize(
    "learner",
    [ibmap.IBMAP(), ibmap.IBMAP(require=[("x0", "x7")]), ibmap.GSMN(), ibmap.IBMAPHC(start="empty")],
    ids=["ibmap", "known", "gsmn", "hc"],
)
def test_a_bootstrap_on_a_cluster_finds_the_same_frequencies(client, learner):
    learner.fit(table_of(8, 300))
    here = learner.confidence("bootstrap", n_fits=7)
    there = learner.confidence("bootstrap", n_fits=7, client=client)
    assert (here.edge_probabilities == there.edge_probabilities).all()
    assert there.diagnostics["n_fits"] == 7 and there.diagnostics["stopped"] == "finished"
    late = learner.confidence("bootstrap", max_seconds=0, client=client)
    assert late.diagnostics["n_fits"] == 0 and late.diagnostics["stopped"] == "max_seconds"


def test_a_table_that_travels_has_no_labels_and_names_only_if_options_speak_of_them():
    columns = {"name-a": ["label-a", "label-b"] * 9, "name-b": [0, 1, 1] * 6}
    table, options = ibmap.encode(polars.DataFrame(columns)), LEARNERS["ibmap"].options
    assert b"label" in pickle.dumps(table) and b"name-" in pickle.dumps(table)
    plain = pickle.dumps(nameless(table, options()))
    assert b"label-" not in plain and b"name-" not in plain
    for said in ({"forbid": [("name-a", "name-b")]}, {"ordered": ["name-b"]}):
        named = nameless(table, options(**said))
        assert named.names == table.names and b"label-" not in pickle.dumps(named)


@pytest.mark.parametrize(
    "learner",
    [ibmap.IBMAP(), ibmap.IBMAP(require=[("x0", "x7")])],
    ids=["ibmap", "known"],
)
def test_chains_on_a_cluster_find_the_same_probabilities(client, learner):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (4_000, 11))
    rows[:, 1::2] = rows[:, :-1:2] ^ (rng.random((4_000, 5)) < 0.2)  # pairs beyond doubt: soon precise
    learner.fit(rows)
    here = learner.confidence(max_seconds=None, random_state=3)
    there = learner.confidence(max_seconds=None, random_state=3, client=client)
    assert there.method == "sampled" and there.names == learner.result_.graph.names
    for each in (here, there):
        del each.diagnostics["seconds"]
    assert (here.edge_probabilities == there.edge_probabilities).all()
    assert here.diagnostics == there.diagnostics and here.structures == there.structures
    late = learner.confidence(max_seconds=0, client=client)
    assert late.diagnostics["stopped"] == "max_seconds"


@pytest.mark.parametrize("name", ["ibmap", "hc"])
def test_a_killed_worker_costs_chains_time_and_not_the_answer(client, name):
    score = partial(score_of, LEARNERS[name].options(), True, ibmap.encode(table_of(15, 400)))
    plan = SamplingPlan(max_steps=400, n_chains=2, precision=0.0)
    here, killed = sample_posterior(score(), MarkovGraph.empty(15), plan=plan), []

    def kill(progress):
        if not killed:
            pids = client.run(os.getpid, on_error="ignore")
            killed.append(pids[sorted(pids)[0]])
            threading.Timer(0.02, os.kill, (killed[-1], signal.SIGKILL)).start()

    spread = replace(plan, client=client, make_score=score)
    there = sample_posterior(score(), MarkovGraph.empty(15), plan=spread, monitor=Monitor(kill))
    assert killed and (here.edge_probabilities == there.edge_probabilities).all()


def small_study():
    problems = tuple(SampledNetwork(5, 2, rows) for rows in (30, 100))
    return Study("small", "Five variables", problems, (STUDIED["gsmn"], STUDIED["hc"]), (EDGES,), 2)


class Stop(KeyboardInterrupt):
    """What Ctrl-C raises, told apart from a real one."""


def test_a_study_on_a_cluster_gives_the_same_rows_and_goes_on_where_it_ended(client, tmp_path):
    here = run_study(small_study(), tmp_path / "here", n_jobs=1)
    done = []

    def stop(progress):
        done.append(progress.n_done)
        if progress.n_done == 1 and len(done) == 2:
            raise Stop
        if progress.n_done == 2:
            os.kill(next(iter(client.run(os.getpid, on_error="ignore").values())), signal.SIGKILL)

    with pytest.raises(Stop):
        run_study(small_study(), tmp_path / "there", client=client, callback=stop)
    there = run_study(small_study(), tmp_path / "there", client=client, callback=stop)
    assert done == [0, 1, 1, 2, 3, 4]
    assert there.drop(TIMES).equals(here.drop(TIMES))


def command(*arguments):
    line = [sys.executable, "-m", "ibmap", "learn", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)


def test_the_command_takes_an_address(client, tmp_path):
    path = tmp_path / "t.csv"
    rows = table_of(21, 1_200)
    np.savetxt(path, rows, "%d", ",", header=",".join(f"v{k}" for k in range(21)), comments="")
    run = [path, "--json", "--confidence", "bootstrap", "--fits", 2]
    here, there = command(*run), command(*run, "--cluster", client.scheduler.address, "--spread", "rows")
    first, second = json.loads(here.stdout), json.loads(there.stdout)
    for each in (first, second):
        del each["provenance"]["seconds"], each["confidence"]["diagnostics"]["seconds"]
    assert first == second
    refused = command(*run, "--algorithm", "hc", "--cluster", "tcp://127.0.0.1:1")
    assert refused.returncode == 2 and "--cluster belongs to --algorithm ibmap" in refused.stderr
    refused = command(path, "--spread", "rows")
    assert refused.returncode == 2 and "add --cluster ADDRESS, or leave it out" in refused.stderr


def test_a_study_takes_processes_here_or_workers_elsewhere():
    line = [sys.executable, "-m", "ibmap", "reproduce", "benchmark", "--cluster", "tcp://127.0.0.1:1"]
    run = subprocess.run([*line, "--jobs", "2"], capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 2 and "--jobs is about processes here" in run.stderr
