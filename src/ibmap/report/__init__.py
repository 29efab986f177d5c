"""One page that answers what depends on what, how strong the evidence is, and how it was found."""

from ibmap.report.writing import write_report

__all__ = ["write_report"]
