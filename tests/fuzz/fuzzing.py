"""Feed hostile tables and files, one after the other, from one seed."""

import random
import tempfile
import warnings
from pathlib import Path

import ibmap
from ibmap.cli import main
from ibmap.data.files import read_table
from ibmap.errors import IbmapWarning

from . import tables
from .files import Samples
from .hostile import ENCODINGS
from .law import BrokenLaw, is_json, lawful, told

OPTIONS = ([], ["--no-header"], ["--missing", "state"], ["--bins", "3"], ["--na", "0"], ["--separator", ";"])


def read_tables(seeds, folder):
    """Read files of hostile tables as states."""
    for seed in seeds:
        rng = random.Random(f"file {seed}")
        data, ending = (tables.text_table(rng), ".csv") if rng.random() < 0.7 else tables.binary_table(rng)
        path = Path(folder, f"table{ending}")
        path.write_bytes(data)
        more = {"encoding": rng.choice(ENCODINGS)} if rng.random() < 0.1 else {}
        with lawful(f"table {seed}"):
            ibmap.encode(read_table(path, **more), missing=rng.choice(["state", "drop", "error"]))


def encode_frames(seeds):
    """Encode hostile frames."""
    for seed in seeds:
        rng = random.Random(f"frame {seed}")
        made = tables.frame(rng)
        with lawful(f"frame {seed}"):
            ibmap.encode(made, missing=rng.choice(["state", "drop", "error"]), bins=rng.choice([None, 3]))


def learn_frames(seeds):
    """Learn from hostile frames, and save what was learned."""
    for seed in seeds:
        rng = random.Random(f"learn {seed}")
        made = tables.frame(rng)
        with lawful(f"learn {seed}"):
            result = ibmap.IBMAP(max_seconds=5).fit(made).result_
            assert ibmap.SearchResult.from_json(result.to_json()).to_json() == result.to_json()


def run_commands(seeds, folder):
    """Learn at the command line from hostile files; what is written is whole."""
    for seed in seeds:
        rng = random.Random(f"command {seed}")
        data, ending = (tables.text_table(rng), ".csv") if rng.random() < 0.8 else tables.binary_table(rng)
        path, network = Path(folder, f"t{ending}"), Path(folder, "out.json")
        path.write_bytes(data)
        network.unlink(missing_ok=True)
        more = [*rng.choice(OPTIONS), *rng.choice([[], ["--json"]]), "--confidence", "none"]
        with lawful(f"command {seed}"):
            code, out = told(main, "learn", path, "-o", network, *more)
            if code == 0 and not is_json(network.read_text(encoding="utf-8")):
                raise BrokenLaw(f"command {seed}: half a file")
            if code == 0 and "--json" in more and not is_json(out):
                raise BrokenLaw(f"command {seed}: no JSON")
        left = [each.name for each in Path(folder).iterdir() if each.name.startswith(".ibmap")]
        if left:
            raise BrokenLaw(f"command {seed}: left {left}")


def read_files(seeds, folder):
    """Read damaged files that ibmap wrote, and use what can be read."""
    whole = Path(folder, "whole")
    whole.mkdir()
    samples = Samples(whole)
    for name in samples.names:
        (Path(folder) / name).write_bytes((whole / name).read_bytes())
        samples.use(name, Path(folder) / name)
    for seed in seeds:
        rng = random.Random(f"damaged {seed}")
        name = rng.choice(samples.names)
        path = Path(folder) / name
        path.write_bytes(samples.damaged(name, rng))
        with lawful(f"damaged {seed} ({name})"):
            samples.use(name, path)


def all_of(n, first=0, say=None):
    """Do everything: n tables in all from a seed on, and a fifth as many files."""
    parts = {
        "tables read": (read_tables, n // 2), "frames encoded": (encode_frames, n // 2),
        "frames learned": (learn_frames, n // 25), "commands": (run_commands, n // 50),
        "files read back": (read_files, n // 5),
    }  # fmt: skip
    for name, (work, number) in parts.items():
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", IbmapWarning)
            seeds = range(first, first + number)
            work(seeds) if work in (encode_frames, learn_frames) else work(seeds, folder)
        if say:
            say(f"{name}: {number}")
