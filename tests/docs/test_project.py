"""Files that speak of the project agree with it: the map of the code, the recipe for conda, the README."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def recipe():
    """Read the recipe for conda as conda-build does, with its one variable filled in."""
    text = (ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8")
    (version,) = re.findall(r'set version = "(.+?)"', text)
    text = re.sub(r"^\{%.*%\}$", "", text, flags=re.MULTILINE).replace("{{ version }}", version)
    return yaml.safe_load(text.replace("{{ PYTHON }}", "python"))


def required(lines):
    """Give names and bounds, the same way of writing for both files."""
    return {re.sub(r"\s", "", line) for line in lines}


def test_the_recipe_for_conda_asks_for_what_the_project_asks_for():
    project, told = PROJECT["project"], recipe()
    python = f"python{project['requires-python']}"
    assert required(told["requirements"]["run"]) == required([python, *project["dependencies"]])
    assert required(told["requirements"]["host"]) == {python, "pip", *PROJECT["build-system"]["requires"]}
    assert told["package"] == {"name": project["name"], "version": project["version"]}
    assert told["about"]["license"] == project["license"]
    assert told["about"]["summary"] == project["description"]


def test_the_recipe_for_conda_names_files_and_commands_that_are_there():
    told = recipe()
    scripts = [f"{name} = {place}" for name, place in PROJECT["project"]["scripts"].items()]
    assert told["build"]["entry_points"] == scripts
    assert (ROOT / "conda" / told["source"]["path"]).resolve() == ROOT
    for name in (*told["test"]["source_files"], told["about"]["license_file"]):
        assert (ROOT / name).is_file(), name


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/promises.md"])
def test_files_that_the_map_of_the_code_names_are_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w.]+/)+(?:[\w.]+\.\w+)?|(?:[\w.]+/)*[\w]+\.(?:py|md|toml))`", text))
    assert len(named) > 2
    lost = [name for name in named if not any((base / name).exists() for base in (ROOT, ROOT / "src/ibmap"))]
    assert not lost


def test_the_readme_of_a_package_index_has_no_links_into_the_source():
    own = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = "".join((ROOT / each["path"]).read_text(encoding="utf-8") for each in own["fragments"])
    for each in own["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    assert not re.findall(r"\]\((?!https?://)", text)
    assert "<img" not in text
    assert "![" not in text
    assert "- Is this edge real? · my table has holes, counts, numbers" in text
    assert "```python" in text
