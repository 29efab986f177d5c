"""Benchmark sets: those that follow from rules are the published ones, the rest are read with care."""

import hashlib
import io
from collections import Counter
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import sklearn.datasets

import ibmap
from ibmap import datasets
from ibmap.datasets.catalogue import CATALOGUE
from ibmap.errors import FileFormatError, InvalidOptionError, UnavailableDataError

pytestmark = pytest.mark.compiled_only("a study as a whole says nothing new about kernels")

# SHA-256 of the header and the sorted rows, joined by commas and line breaks. Each was compared with the
# file of the UCI repository as a multiset of rows: equal (monks-1: its 432 test rows; lenses: with the
# codes 1, 2, 3 of the file written as the labels of its description).
DIGESTS = {
    "balance-scale": "eb2bf9a6f20af07796d86ad6e8c6d95bf5e5825f51b1e7fdea1e85fcb7533fe4",
    "baloons": "ba8177b524cbc4b31a375e94a44ce7106ae5e71c5f6d7b5cf25907e3ce3021f5",
    "car": "dedef9d503a71276c13fe1c4696bdf664425557f6fe95aef02e84d86f27200b6",
    "lenses": "6a2cd793daf9934b42a30596f020ceba1dd29001f5c0eaa208aaa127b4921d42",
    "monks-1": "6806eae138cebc4c42a79ee0353ceda221c8fb8bbb5bced9c664daaf3e9e0699",
    "nursery": "73da96ab5daf277541206019b6f0a40372fd9a504dc15dff5a00f0a3e0350f55",
    "tictactoe": "1e1a41b88a08ebaa19908a5cfe81878a26f87291cca130ea7b4536a0529bc46b",
}
# Rows of each class, as the public descriptions give them
CLASSES = {
    "balance-scale": {"L": 288, "B": 49, "R": 288},
    "baloons": {"T": 8, "F": 12},
    "car": {"unacc": 1210, "acc": 384, "good": 69, "vgood": 65},
    "lenses": {"hard": 4, "soft": 5, "none": 15},
    "monks-1": {0: 216, 1: 216},
    "nursery": {"not_recom": 4320, "recommend": 2, "very_recom": 328, "priority": 4266, "spec_prior": 4044},
    "tictactoe": {"positive": 626, "negative": 332},
}


def digest(frame):
    rows = sorted(",".join(map(str, row)) for row in frame.rows())
    return hashlib.sha256("\n".join([",".join(frame.columns), *rows]).encode()).hexdigest()


@pytest.mark.parametrize("name", DIGESTS)
def test_generated_sets_are_the_published_ones(name):
    frame = datasets.load(name)
    assert digest(frame) == DIGESTS[name]
    column = "inflated" if name == "baloons" else "class"
    assert Counter(frame[column].to_list()) == CLASSES[name]


def final_boards_by_play(board="b" * 9, side="x"):
    """Play every game of tic-tac-toe to its end."""
    lines = ["012", "345", "678", "036", "147", "258", "048", "246"]
    for line in lines:
        if len({board[int(k)] for k in line}) == 1 and board[int(line[0])] != "b":
            return {board}
    if "b" not in board:
        return {board}
    found = set()
    for k in (k for k in range(9) if board[k] == "b"):
        found |= final_boards_by_play(board[:k] + side + board[k + 1 :], "o" if side == "x" else "x")
    return found


def test_tictactoe_lists_the_ends_of_all_games():
    boards = {"".join(row[:9]) for row in datasets.tictactoe().rows()}
    assert boards == final_boards_by_play()


def test_the_names_are_those_of_the_paper_and_the_module_is_public():
    assert ibmap.datasets is datasets
    assert len(datasets.NAMES) == 15
    for name in set(datasets.__all__) - {"NAMES", "load", "benchmark_table"}:
        assert getattr(datasets, name)().shape[0] > 0
    with pytest.raises(InvalidOptionError, match=r"no benchmark set 'dependent'.*balance-scale"):
        datasets.load("dependent")


def haberman_text(n_rows=306, gaps=0):
    rows = [f"{30 + k % 50},{58 + k % 12},{k % 40},{1 + k % 2}" for k in range(n_rows)]
    rows += [f"40,?,{k},1" for k in range(gaps)]
    return "\n".join(["age,year,nodes,survival", *rows]) + "\n"


def test_a_file_is_read_without_incomplete_rows_and_binned(tmp_path):
    (tmp_path / "haberman.csv").write_text(haberman_text(gaps=3))
    frame = datasets.load("haberman", tmp_path)
    assert frame.shape == (306, 4)
    width = datasets.benchmark_table("haberman", tmp_path)
    frequency = datasets.benchmark_table("haberman", tmp_path, bins="frequency")
    assert width.cardinalities.tolist() == [10, 10, 10, 2]
    assert width.preparation.bin_edges.keys() == {"age", "year", "nodes"}
    counts = np.bincount(frequency.codes[:, 0])
    assert counts.max() <= 2 * counts.min()


def test_identifiers_are_dropped(tmp_path):
    header = "Id,RI,Na,Mg,Al,Si,K,Ca,Ba,Fe,Type"
    rows = [",".join([str(k), *(str((k * j) % 7) for j in range(1, 11))]) for k in range(214)]
    (tmp_path / "glass.csv").write_text("\n".join([header, *rows]))
    assert "Id" not in datasets.load("glass", tmp_path).columns


def test_another_table_under_the_name_is_refused(tmp_path):
    (tmp_path / "haberman.csv").write_text(haberman_text(n_rows=300))
    with pytest.raises(FileFormatError, match=r"haberman.csv is not the set.*300 complete.*not 306 of 4"):
        datasets.load("haberman", tmp_path)
    (tmp_path / "haberman.csv").write_bytes(b"")
    with pytest.raises(FileFormatError, match="comma-separated"):
        datasets.load("haberman", tmp_path)


def test_a_file_takes_the_place_of_a_rule(tmp_path):
    whole = pl.concat([datasets.monks_1(), datasets.monks_1()[:124]])
    whole.write_csv(tmp_path / "monks-1.csv")
    assert len(datasets.load("monks-1", tmp_path)) == 556
    assert len(datasets.load("monks-1")) == 432


def test_openml_is_asked_where_there_is_no_file(monkeypatch, tmp_path):
    pandas = pytest.importorskip("pandas")
    asked = []

    def fetch(name, **options):
        asked.append((name, options["version"]))
        frame = pandas.read_csv(io.StringIO(haberman_text(gaps=2)), na_values="?")
        return SimpleNamespace(frame=frame.astype({"survival": "category"}))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    assert datasets.load("haberman").shape == (306, 4)
    assert datasets.load("haberman", tmp_path).shape == (306, 4)
    assert asked == [CATALOGUE["haberman"].openml] * 2


def test_without_a_network_the_remedy_is_told(monkeypatch, tmp_path):
    def fail(*_, **__):
        raise OSError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fail)
    with pytest.raises(UnavailableDataError, match=r"'glass'.*no folder was given.*no route.*--data FOLDER"):
        datasets.load("glass")
    with pytest.raises(UnavailableDataError, match=r"has no glass.csv"):
        datasets.load("glass", tmp_path)
