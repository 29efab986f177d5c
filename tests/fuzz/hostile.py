"""Values nobody expects, and how texts and structures are damaged."""

import copy
import json
import math

NAMES = (
    "a", "b", "", " ", "a", "x" * 300, "=HYPERLINK(1)", "-1", "@x", "\x1b[31mred", "\x00", "\u202eback", "\x9b",
    "<script>alert(1)</script>", "naïve", "日本", "\U0001f600", "a,b", 'q"uote', "line\nbreak", "tab\there", "'", "%s",
    "{0}", "__proto__", "NaN", "null", "None", "../../etc", "\ufeffbom", "e\u0301", "[bold]", ":smile:",
)  # fmt: skip
CELLS = (
    *NAMES, "0", "1", "2", "0", "1", "NA", "?", "inf", "-inf", "nan", "1e999", "1e-999", "0E1", "0E2", "007", "1_000",
    "12345678901234567890123", "0.1", ".1", "1.", "0x10", "true", "TRUE", "2024-01-01", "12:30", "1,5", "½", "٣",
    "9" * 400, "\t", "'=1+1",
)  # fmt: skip
VALUES = (
    None, True, False, 0, 1, -1, 2**31, 2**63, 2**70, -(2**70), 10**400, 0.5, -0.0, 1e308, -1e308, math.nan, math.inf,
    "", "x", "\x1b[2J", "\ud800", "9" * 50, [], [1], [[]], [None] * 3, {}, {"a": 1}, {"format": "ibmap-network"},
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252", "shift_jis", "utf-7")


def damaged_bytes(data, rng):
    """Cut, flip, repeat or insert bytes."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        way = rng.randrange(5)
        if way == 0:
            del data[at:]
        elif way == 1 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif way == 2:
            data[at:at] = data[at : at + rng.randint(1, 40)]
        elif way == 3:
            data[at:at] = rng.choice(
                [b"\x00", b"\xff", b'"', b"[" * 2000, b"{", b"}", b"\n", b"9" * 50, b"1e999"]
            )
        else:
            del data[at : at + rng.randint(1, 20)]
    return bytes(data)


def places(content, path=()):
    """All places in plain lists and dicts."""
    yield path
    inner = (
        content.items()
        if isinstance(content, dict)
        else enumerate(content)
        if isinstance(content, list)
        else ()
    )
    for key, value in inner:
        yield from places(value, (*path, key))


def damaged_content(content, rng):
    """Put something else in one or two places of plain lists and dicts, or take them out."""
    content = copy.deepcopy(content)
    for _ in range(rng.randint(1, 2)):
        *path, last = rng.choice([each for each in places(content) if each])
        holder = content
        for key in path:
            holder = holder[key]
        way = rng.randrange(4)
        if way == 0:
            del holder[last]
        elif way == 1 and isinstance(holder, list):
            holder.insert(last, copy.deepcopy(holder[last]))
        elif way == 2 and isinstance(holder, dict):
            holder[rng.choice(NAMES)] = rng.choice(VALUES)
        else:
            holder[last] = copy.deepcopy(rng.choice(VALUES))
        if not isinstance(content, dict | list) or not list(places(content))[1:]:
            break
    return content


def damaged_json(text, rng):
    """Damage a file of JSON in its structure or its bytes."""
    if rng.random() < 0.3:
        return damaged_bytes(text.encode(), rng)
    made = json.dumps(damaged_content(json.loads(text), rng))
    if rng.random() < 0.05:  # a key twice
        made = made.replace('"format":', '"format": 1, "format":', 1)
    return made.encode()
