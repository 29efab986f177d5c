"""How to cite the method and the software: the facts of ``CITATION.cff``, for the page."""

from __future__ import annotations

PAPER_AUTHORS = (("Facundo", "Bromberg"), ("Federico", "Schlüter"))
PAPER_TITLE = "Efficient Independence-Based MAP Approach for Robust Markov Networks Structure Discovery"
SOFTWARE_AUTHORS = "The ibmap developers"
SOFTWARE_TITLE = "ibmap: Markov network structure by the IB-score"


def citations(version: str) -> tuple[str, str]:
    """Give what to cite: the paper, and the software."""
    authors = " and ".join(f"{given} {family}" for given, family in PAPER_AUTHORS)
    return f"{authors}. {PAPER_TITLE}.", f"{SOFTWARE_AUTHORS}. {SOFTWARE_TITLE}, version {version}."


def bibtex(version: str) -> str:
    """Give both as BibTeX entries."""
    authors = " and ".join(f"{family}, {given}" for given, family in PAPER_AUTHORS)
    return (
        f"@article{{ibscore,\n  author = {{{authors}}},\n  title = {{{PAPER_TITLE}}}\n}}\n\n"
        f"@software{{ibmap,\n  author = {{{{{SOFTWARE_AUTHORS}}}}},\n"
        f"  title = {{{SOFTWARE_TITLE}}},\n  version = {{{version}}}\n}}"
    )
