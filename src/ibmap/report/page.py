"""The page as one file: template, style, library, script and data, none of which can turn into another.

A policy in the page allows exactly the scripts and the style it was made with, by their digests, and no
request to anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import string
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ibmap.data.text import printable
from ibmap.errors import MissingLibraryError
from ibmap.report.citation import bibtex, citations
from ibmap.report.content import Content

SCRIPTS = ("state", "drawing", "scenes", "details", "tools", "tables", "charts", "groups", "start")
LIBRARY = ("mpld3", "js/d3.v5.min.js")  # the package that ships d3, and where it does


def render(content: Content) -> bytes:
    """Write a page as HTML; the same content gives the same bytes."""
    library, style = find_library(), _asset("page.css")
    script = "(() => {\n'use strict';\n" + "".join(_asset(f"{name}.js") for name in SCRIPTS) + "})();\n"
    paper, software = citations(content.version)
    text = string.Template(_asset("page.html")).substitute(
        policy=_policy(style, (library, script)),
        style=style,
        library=library,
        script=script,
        data=safe_json(content.data()),
        title=_text(content.title),
        version=_text(content.version),
        lede=_text(content.lede),
        figures="".join(_figure(*each) for each in content.figures),
        notes=_notes(content.notes),
        caption=_text(content.caption),
        about_groups=_text(content.about_groups),
        about_edges=_text(content.about_edges),
        about_variables=_text(content.about_variables),
        about_search=_text(content.about_search),
        about_others=_text(content.about_others),
        few="hidden" if content.circles else "",
        many="" if content.circles else "hidden",
        others=_others(content.others),
        no_others="" if content.about_others else "hidden",
        making="".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in content.making),
        cite_paper=_text(paper),
        cite_software=_text(software),
        bibtex=_text(bibtex(content.version)),
    )
    return text.encode()


def safe_json(content: Any) -> str:
    """Write JSON that can stand inside a script element, whatever its text is."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def find_library() -> str:
    """Read the drawing library from the installed package that ships it."""
    package, place = LIBRARY
    spec = find_spec(package)
    path = None if spec is None or spec.origin is None else Path(spec.origin).parent / place
    if path is None or not path.is_file():
        msg = "the page needs d3, which comes with mpld3: pip install 'ibmap[report]'"
        raise MissingLibraryError(msg)
    return path.read_text(encoding="utf-8").rstrip() + "\n"


@cache
def _asset(name: str) -> str:
    return (files("ibmap.report") / "assets" / name).read_text(encoding="utf-8")


def _policy(style: str, scripts: Iterable[str]) -> str:
    """Allow these scripts and this style, and nothing else."""
    allowed = " ".join(f"'{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src '{_digest(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    """Give the digest by which a policy names a script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _text(text: str) -> str:
    """Write text so that it is only text; control characters as escapes."""
    return html.escape("\n".join(map(printable, text.split("\n"))))


def _figure(name: str, value: str, remark: str) -> str:
    """Write one of the figures to begin with."""
    more = f"<dd>{_text(remark)}</dd>" if remark else ""
    return f"<div><dt>{_text(name)}</dt><dd>{_text(value)}</dd>{more}</div>"


def _notes(notes: Iterable[tuple[str, str]]) -> str:
    """Write what deserves a second look; nothing if there is nothing."""
    items = "".join(f"<li><b>{_text(title)}.</b> {_note(text)}</li>" for title, text in notes)
    if not items:
        return ""
    return f'<aside class="notes" aria-label="Notes"><h2>Worth a second look</h2><ul>{items}</ul></aside>'


def _note(text: str) -> str:
    """Write a note as a sentence, pairs of variables as everywhere on the page."""
    return _text(text[:1].upper() + text[1:]).replace(" -- ", "\u00a0— ")


def _others(rows: Iterable[tuple[str, str, str]]) -> str:
    """Write a table of other probable networks; nothing if there are none."""
    number = '<td class="number">'
    cells = "".join(
        f"<tr>{number}{_text(chance)}</td>{number}{_text(size)}</td><td>{_text(words)}</td></tr>"
        for chance, size, words in rows
    )
    if not cells:
        return ""
    head = '<th class="number">Probability</th><th class="number">Edges</th><th>Differs</th>'
    table = f'<table class="plain"><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table>'
    return f'<div class="scroll">{table}</div>'
