"""Do one run: draw the data, let every learner learn, measure.

Seeds depend on words and numbers alone: not on the order of runs, nor on the process that runs them.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from threading import Lock
from typing import Any

import numpy as np

from ibmap.errors import IbmapWarning, InvalidOptionError
from ibmap.graph import as_graph
from ibmap.pools.protocol import Held
from ibmap.reproduce.study import Instance, Learned, Learner, Plan, Run, as_remark

ALONE = Lock()
TIMES = ("seconds", "cpu_seconds")  # columns that differ from one execution to the next


def execute(plan: Plan, run: Run) -> list[dict[str, Any]]:
    """Do one run."""
    rng = generator(plan.seed, plan.study, run.problem.data_key, run.repetition, "data")
    instance = run.problem.draw(rng)
    return [_row(plan, run, instance, learner) for learner in plan.learners]


def execute_there(plan: Held[Plan], run: Run) -> list[dict[str, Any]]:
    """Do one run on a worker, one at a time: its warnings and its processor time are those of the process."""
    with ALONE:
        return execute(plan.get(), run)


def _row(plan: Plan, run: Run, instance: Instance, learner: Learner) -> dict[str, Any]:
    """Let one learner learn, and measure."""
    learned, times, remarks = _timed(learner, instance)
    words = seed_sequence(plan.seed, plan.study, run.key, "metrics").generate_state(1)
    metrics = {each.name: each.measure(learned.graph, instance, int(words[0])) for each in plan.metrics}
    judged = {} if learned.judge is None else learned.judge(instance)
    counters = {name: float(value) for name, value in {**learned.counters, **judged}.items()}
    row = {
        **run.problem.factors,
        "repetition": run.repetition,
        "learner": learner.name,
        **metrics,
        "n_edges": learned.graph.n_edges,
        **counters,
        **times,
        "remarks": "\n".join((*instance.remarks, *remarks)),
    }
    _refuse_clashes(row, run, plan, counters)
    return row


def _timed(learner: Learner, instance: Instance) -> tuple[Learned, dict[str, float], list[str]]:
    """Learn, with the time it took and the warnings it gave."""
    begun, cpu_begun = time.perf_counter(), time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IbmapWarning)
        learned = learner.learn(instance.table)
    times = {"seconds": time.perf_counter() - begun, "cpu_seconds": time.process_time() - cpu_begun}
    graph = as_graph(learned.graph, instance.table.names)
    return Learned(graph, learned.counters, learned.judge), times, [*map(as_remark, caught)]


def _refuse_clashes(row: dict[str, Any], run: Run, plan: Plan, counters: dict[str, float]) -> None:
    """Refuse two columns of one name."""
    wanted = len(run.problem.factors) + len(plan.metrics) + len(counters) + len(TIMES) + 4
    if len(row) != wanted:
        msg = (
            f"study {plan.study!r} uses one name for two of its factors, metrics and counters: "
            f"{[*run.problem.factors]}, {[each.name for each in plan.metrics]}, {[*counters]}; rename one"
        )
        raise InvalidOptionError(msg)


def seed_sequence(seed: int, *keys: str | int) -> np.random.SeedSequence:
    """Derive a seed from a study's seed and the names of a run."""
    text = "\x1f".join(map(str, keys))
    digest = hashlib.sha256(text.encode()).digest()
    words = np.frombuffer(digest, "<u4").tolist()
    return np.random.SeedSequence([seed, *words])


def generator(seed: int, *keys: str | int) -> np.random.Generator:
    """Make a generator for one purpose of one run."""
    return np.random.default_rng(seed_sequence(seed, *keys))
