"""Benchmark tables that follow from short rules, written out row by row.

Each is a full table of its attributes with a class that the rule gives, as the donors of the UCI
repository describe it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import polars as pl

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
SQUARES = ("tl", "tm", "tr", "ml", "mm", "mr", "bl", "bm", "br")


def balance_scale() -> pl.DataFrame:
    """Tip a scale: weights and distances from 1 to 5 on both sides.

    Returns
    -------
    polars.DataFrame
        625 rows: the side that tips (L, R, or B for balanced), and the four numbers.

    Examples
    --------
    >>> balance_scale()["class"].value_counts(sort=True)["count"].to_list()
    [288, 288, 49]
    """
    rows = [("BLR"[_sign(a * b - c * d)], a, b, c, d) for a, b, c, d in product(range(1, 6), repeat=4)]
    names = ["class", "left_weight", "left_distance", "right_weight", "right_distance"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _sign(difference: int) -> int:
    """Give 0, 1 or 2 for zero, positive or negative."""
    return 0 if difference == 0 else 1 if difference > 0 else 2


def lenses() -> pl.DataFrame:
    """Prescribe contact lenses.

    Returns
    -------
    polars.DataFrame
        24 rows: age, prescription, astigmatism, tear rate, and the lenses: hard, soft or none.

    Examples
    --------
    >>> lenses()["class"].value_counts(sort=True)["count"].to_list()
    [15, 5, 4]
    """
    ages = ("young", "pre-presbyopic", "presbyopic")
    combinations = product(ages, ("myope", "hypermetrope"), ("no", "yes"), ("reduced", "normal"))
    rows = [(*each, _lenses_for(*each)) for each in combinations]
    return pl.DataFrame(
        rows, schema=["age", "prescription", "astigmatic", "tear_rate", "class"], orient="row"
    )


def _lenses_for(age: str, prescription: str, astigmatic: str, tear_rate: str) -> str:
    """Choose lenses for one patient."""
    if tear_rate == "reduced":
        return "none"
    if astigmatic == "yes":
        return "hard" if prescription == "myope" or age == "young" else "none"
    return "none" if (age, prescription) == ("presbyopic", "myope") else "soft"


def baloons() -> pl.DataFrame:
    """Inflate balloons: an adult stretches them.

    Returns
    -------
    polars.DataFrame
        20 rows: colour, size, act, age, and whether it is inflated. Rows of stretching adults come twice.

    Examples
    --------
    >>> baloons()["inflated"].value_counts(sort=True)["count"].to_list()
    [12, 8]
    """
    inflating = ("STRETCH", "ADULT")
    acts = (inflating, inflating, ("STRETCH", "CHILD"), ("DIP", "ADULT"), ("DIP", "CHILD"))
    rows = [
        (*balloon, *act, "T" if act == inflating else "F")
        for balloon in product(("YELLOW", "PURPLE"), ("SMALL", "LARGE"))
        for act in acts
    ]
    return pl.DataFrame(rows, schema=["color", "size", "act", "age", "inflated"], orient="row")


def monks_1() -> pl.DataFrame:
    """List the robots of the first monk's problem: all 432, the problem's test part.

    Returns
    -------
    polars.DataFrame
        The class, 1 if a1 equals a2 or a5 is 1, and six attributes. The training part of the published
        set repeats 124 of these rows, drawn by chance; it does not follow from the rule.

    Examples
    --------
    >>> monks_1()["class"].sum(), len(monks_1())
    (216, 432)
    """
    robots = product(*(range(1, top + 1) for top in (3, 3, 2, 3, 4, 2)))
    rows = [(int(robot[0] == robot[1] or robot[4] == 1), *robot) for robot in robots]
    return pl.DataFrame(rows, schema=["class", "a1", "a2", "a3", "a4", "a5", "a6"], orient="row")


def tictactoe() -> pl.DataFrame:
    """List the boards at which a game of tic-tac-toe can end, if x moves first.

    Returns
    -------
    polars.DataFrame
        958 rows: nine squares (x, o, or b for blank), and whether x has won: positive or negative.

    Examples
    --------
    >>> tictactoe()["class"].value_counts(sort=True)["count"].to_list()
    [626, 332]
    """
    rows = [(*board, "positive" if _has_won(board, "x") else "negative") for board in sorted(_final_boards())]
    return pl.DataFrame(rows, schema=[*SQUARES, "class"], orient="row")


def _final_boards() -> set[str]:
    """Collect the boards that are full or won, by the number of moves and by who moved last."""
    return {board for board in _boards() if _is_final(board)}


def _boards() -> Iterator[str]:
    """Give every board on which x has as many marks as o, or one more."""
    for squares in product("xob", repeat=9):
        if squares.count("x") - squares.count("o") in (0, 1):
            yield "".join(squares)


def _is_final(board: str) -> bool:
    """Tell whether a game can end here: one side has just won, or the board is full."""
    x_wins, o_wins = _has_won(board, "x"), _has_won(board, "o")
    x_moved = board.count("x") > board.count("o")
    if x_wins or o_wins:
        return x_wins == x_moved and o_wins != x_moved
    return "b" not in board


def _has_won(board: str, side: str) -> bool:
    return any(all(board[square] == side for square in line) for line in LINES)
