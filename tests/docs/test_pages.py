"""What the documentation shows works: Python runs, commands have the options shown, links lead somewhere."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import typer

import ibmap
from ibmap.cli.app import app

pytestmark = pytest.mark.compiled_only("a page as a whole says nothing new about kernels")

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
PAGES = [page for page in PAGES if not {"_build", "generated", "gallery"} & {*page.parts}]
WRITTEN = [page for page in PAGES if "file_format: mystnb" not in page.read_text(encoding="utf-8")]
COMMANDS = typer.main.get_command(app)


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(page):
    """Find command lines, indented, fenced or in a directive, without comments and pipes."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^(?:    |```\{command\} )(ibmap [a-z]+ .*)$", text, re.MULTILINE)
    for block in re.findall(r"^```(?:text)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        found += re.findall(r"^(ibmap [a-z]+ .*)$", block, re.MULTILINE)
    return [re.split(r"\s[|#>]\s|\s{3,}", line)[0] for line in found]


@pytest.fixture(name="names")
def names_fixture(tmp_path, monkeypatch):
    """What blocks may speak of."""
    monkeypatch.chdir(tmp_path)
    table = ibmap.datasets.load_survey()
    (tmp_path / "known.toml").write_text('require = [["smoker", "cough"]]')
    learner = ibmap.IBMAP().fit(table)
    return {
        "ibmap": ibmap,
        "table": table,
        "X": table,
        "df": table.to_pandas(),
        "matrix": np.full((10, 10), np.nan),
        "learner": learner,
        "result": learner.result_,
        "graph": learner.graph_,
        "rows": table.head(5),
        "new_rows": table.head(5),
    }


@pytest.mark.parametrize("page", [p for p in WRITTEN if blocks(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_blocks_of_python_run(page, names):
    for block in blocks(page):
        exec(compile(block, str(page), "exec"), names)


@pytest.mark.parametrize("page", [p for p in PAGES if commands(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_have_the_options_they_are_shown_with(page):
    for line in commands(page):
        _, name, *words = shlex.split(line)
        assert name in COMMANDS.commands, line
        command = COMMANDS.commands[name]
        options = {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)}
        for word in words:
            flag = word.split("=")[0]
            if re.fullmatch(r"--?[A-Za-z][\w-]*", flag):
                assert flag in options or flag == "--help", f"{line}: {flag}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files(page):
    text = page.read_text(encoding="utf-8")
    pictures = re.findall(r'<img src="([^"]+)"|^```\{image\} (\S+)$', text, re.MULTILINE)
    targets = [*re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text), *("".join(each) for each in pictures)]
    for target in targets:
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), target
