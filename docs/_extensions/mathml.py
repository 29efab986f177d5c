"""Formulas as MathML, which browsers draw by themselves: no script, no network."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert


def inline(writer, node) -> None:
    """Write a formula within a line."""
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer, node) -> None:
    """Write a formula on lines of its own."""
    writer.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app) -> dict[str, bool]:
    """Let Sphinx know."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
