"""Formulas as MathML, which browsers draw by themselves: no script, no network."""

from __future__ import annotations

import re

from docutils import nodes
from latex2mathml.converter import convert

SPACE = '<mspace width="0.167em"/>'


def formula(text: str, display: str) -> str:
    """Write a formula; names of functions upright and set apart, capital Greek upright, as TeX has them."""
    found = re.sub(r"<mo[^>]*>Pr</mo>", "<mi>Pr</mi>", convert(text, display=display))
    found = re.sub(r"(?<=</mn>|</mi>)<mi>(log|exp)</mi>", rf"{SPACE}<mi>\1</mi>", found)
    found = re.sub(r"<mi>(log|exp)</mi>(?!<mo)", rf"<mi>\1</mi>{SPACE}", found)
    return found.replace("<mi>&#x00393;</mi>", '<mi mathvariant="normal">&#x00393;</mi>')


def inline(writer, node) -> None:
    """Write a formula within a line."""
    writer.body.append(formula(node.astext(), "inline"))
    raise nodes.SkipNode


def block(writer, node) -> None:
    """Write a formula on lines of its own."""
    writer.body.append(f'<div class="formula">{formula(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app) -> dict[str, bool]:
    """Let Sphinx know."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
