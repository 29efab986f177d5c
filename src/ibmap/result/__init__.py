"""What was found, how it came about, in words and in files."""

from ibmap.result.result import SearchResult

__all__ = ["SearchResult"]
