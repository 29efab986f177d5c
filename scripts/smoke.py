"""Learn a small table from Python and from the command line, with what is installed and nothing else."""

import importlib.metadata
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import ibmap

if sys.argv[1:] in (["wheel"], ["sdist"]):  # without extras
    brought = [name for name in ("pandas", "pyarrow", "matplotlib") if importlib.util.find_spec(name)]
    assert not brought, f"the install without extras brought {brought}"

description = str(importlib.metadata.metadata("ibmap").get_payload())
assert "Which variables of a table" in description
assert "](docs/" not in description, "links into the source lead nowhere from a package index"

ROWS = [("sun", "good", "odd"), ("sun", "good", "even"), ("rain", "bad", "odd"), ("rain", "bad", "even")] * 10

frame = pl.DataFrame(ROWS, schema=["weather", "mood", "day"], orient="row")
learner = ibmap.IBMAP().fit(frame)
assert sorted(learner.graph_.edges) == [("weather", "mood")], learner.graph_.edges
assert ibmap.IBMAP().fit(np.array(ROWS)).score_ == learner.score_
assert sorted(ibmap.IBMAPHC().fit(frame).graph_.edges) == [("weather", "mood")]
assert sorted(ibmap.GSMN().fit(ROWS).graph_.edges) == [("x0", "x1")]
with tempfile.TemporaryDirectory() as folder:
    table, network = Path(folder) / "table.csv", Path(folder) / "net.json"
    frame.write_csv(table)
    command = [sys.executable, "-m", "ibmap", "learn", str(table), "--output", str(network)]
    subprocess.run(command, check=True, capture_output=True)
    written = ibmap.SearchResult.from_json(network)
    assert (written.graph, written.score) == (learner.result_.graph, learner.score_)
