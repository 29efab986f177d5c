"""Files that ibmap reads back, whole, and how each is read and used."""

import json
import random
from pathlib import Path

import ibmap
from ibmap.data.table import EncodedTable
from ibmap.errors import SearchWarning
from ibmap.learners import HillClimbingOptions, learn_hc
from ibmap.learners.checkpoint import digest_of
from ibmap.model import MarkovNetwork
from ibmap.reproduce.journal import Journal
from ibmap.result.formats import as_result, read_network, write_network

from .hostile import damaged_bytes, damaged_content, damaged_json

STUDY = {"study": "small", "seed": 1}


def some_table():
    rng = random.Random(0)
    rows = [[rng.randrange(2), rng.randrange(3), rng.randrange(2)] for _ in range(60)]
    return EncodedTable.from_codes(
        [[a, b, a if c else 1 - a] for a, b, c in rows], [2, 3, 2], ["a", "b", "c"]
    )


class Samples:
    """One whole file of each kind, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.table = folder, some_table()
        result = ibmap.IBMAP().fit(self.table).result_
        for ending in (".json", ".graphml", ".csv", ".adjacency.csv"):
            write_network(result, folder / f"network{ending}")
        model = MarkovNetwork.fit(self.table, result.graph)
        model.save(folder / "model.json")
        model.save_uai(folder / "model.uai")
        learn_hc(self.table, HillClimbingOptions(start="empty"), checkpoint=folder / "kept.checkpoint")
        with Journal(folder / "study.journal", STUDY) as journal:
            journal.add("one", [{"learner": "hc", "score": -1.5, "n": 3, "remark": None}])

    @property
    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def damaged(self, name, rng):
        """The bytes of a file, damaged."""
        data = (self.folder / name).read_bytes()
        if name.endswith(".checkpoint") and rng.random() < 0.7:  # with a digest that fits
            content = json.loads(data)
            del content["digest"]
            made = damaged_content(content, rng)
            made = {**made, "digest": digest_of(made)} if isinstance(made, dict) else made
            return json.dumps(made).encode()
        is_json = name.endswith((".json", ".checkpoint"))
        return damaged_json(data.decode(), rng) if is_json else damaged_bytes(data, rng)

    def use(self, name, path):
        """Read a file and do with it what can be done."""
        if name.startswith("network"):
            _use_network(read_network(path), path.parent)
        elif name.startswith("model"):
            _use_model(MarkovNetwork.load_uai(path) if name.endswith(".uai") else MarkovNetwork.load(path))
        elif name == "kept.checkpoint":
            learn_hc(self.table, HillClimbingOptions(start="empty"), resume=path)
        else:
            with Journal(path, STUDY) as journal:
                journal.add("two", [])


def _use_network(network, folder):
    result = as_result(network)
    again = ibmap.SearchResult.from_json(result.to_json())
    assert again.to_json() == result.to_json()
    assert repr(result) and result._repr_html_()
    for explained in result.explanations:
        assert str(explained)
    for name in result.graph.names[:3]:
        assert str(result.explain_variable(name))
    assert result.undecided is not None
    for ending in (".graphml", ".dot", ".csv"):
        write_network(result, folder / f"again{ending}")


def _use_model(model):
    assert repr(model)
    model.sample(3, random_state=0)
    model.marginals(model.names[0])


__all__ = ["Samples", "SearchWarning"]
