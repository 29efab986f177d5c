"""Text from other people's files, shown literally: nothing in it is obeyed."""

from __future__ import annotations

import unicodedata

UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}  # control, direction and private characters, line breaks
JOINERS = "\u200c\u200d"  # part of ordinary words and emoji in many scripts


def printable(text: str) -> str:
    """Show characters that a terminal would obey as escapes."""
    return "".join(c if _is_safe(c) else c.encode("unicode_escape").decode() for c in text)


def _is_safe(character: str) -> bool:
    """Tell whether a character only shows itself."""
    return character in JOINERS or unicodedata.category(character) not in UNSAFE
