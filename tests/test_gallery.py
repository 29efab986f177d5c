"""Every notebook of the gallery runs, was run, and is light."""

import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from ibmap.simulate import random_network

pytestmark = pytest.mark.compiled_only("a page or picture as a whole says nothing new about kernels")

GALLERY = Path(__file__).parent.parent / "docs" / "gallery"
NOTEBOOKS = sorted(GALLERY.glob("*.ipynb"))
MAX_BYTES = 250_000


def cells(path):
    content = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in content["cells"] if cell["cell_type"] == "code"]


@pytest.fixture(name="votes")
def votes_fixture(tmp_path, monkeypatch):
    """A made-up file like that of the votes, gaps included."""
    drawn = np.asarray(random_network(6, 2, random_state=1).sample(300, random_state=1)).astype(int)
    lines = [",".join("ny"[value] for value in row) for row in drawn]
    lines[3] = "?" + lines[3][1:]
    (tmp_path / "votes.csv").write_text("\n".join(["Class,a,b,c,d,e", *lines]) + "\n")
    monkeypatch.setenv("IBMAP_VOTES", str(tmp_path / "votes.csv"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.usefixtures("votes")
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    import matplotlib.pyplot as plt

    names: dict = {}
    with mpl.rc_context():
        for cell in cells(path):
            exec(compile("".join(cell["source"]), str(path), "exec"), names)
    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_was_run_and_is_light(path):
    code = cells(path)
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    kinds = {kind for cell in code for out in cell["outputs"] for kind in out.get("data", {})}
    assert "image/png" in kinds
    assert all(out["output_type"] != "error" for cell in code for out in cell["outputs"])
    assert not any(out.get("name") == "stderr" for cell in code for out in cell["outputs"])
    assert path.stat().st_size < MAX_BYTES


def test_there_is_one_for_a_survey_a_factorial_set_and_a_comparison():
    assert [path.stem for path in NOTEBOOKS] == ["car", "learners", "votes"]
