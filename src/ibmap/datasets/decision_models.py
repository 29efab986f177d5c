"""Benchmark tables made by hierarchical decision models: cars and nursery schools.

Both are full tables of their attributes. The class comes from a tree of small decision tables, each
of which sums up a few attributes in a grade (M. Bohanec and V. Rajkovič, 1988 and 1989). The grades
here are numbered; a table is a string of digits for each combination in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import polars as pl

Scale = tuple[str, ...]

CAR: dict[str, Scale] = {
    "buying": ("vhigh", "high", "med", "low"),
    "maint": ("vhigh", "high", "med", "low"),
    "doors": ("2", "3", "4", "5more"),
    "persons": ("2", "4", "more"),
    "lug_boot": ("small", "med", "big"),
    "safety": ("low", "med", "high"),
}
# Grade of the price: a row for each cost of buying, a digit for each cost of maintenance
PRICE = ("0011", "0111", "1123", "1233")
# Grade of the comfort: a row for each number of doors; for each number of persons a digit for each boot
COMFORT = ("000112012", "000112122", "000122122", "000122122")
# Grade of the technology: a row for each comfort, a digit for each safety
TECHNOLOGY = ("000", "012", "023")
# Class: a row for each price, an entry for each technology
CAR_CLASS = (
    ("unacc", "unacc", "unacc", "unacc"),
    ("unacc", "unacc", "acc", "acc"),
    ("unacc", "acc", "acc", "vgood"),
    ("unacc", "acc", "good", "vgood"),
)

NURSERY: dict[str, Scale] = {
    "parents": ("usual", "pretentious", "great_pret"),
    "has_nurs": ("proper", "less_proper", "improper", "critical", "very_crit"),
    "form": ("complete", "completed", "incomplete", "foster"),
    "children": ("1", "2", "3", "more"),
    "housing": ("convenient", "less_conv", "critical"),
    "finance": ("convenient", "inconv"),
    "social": ("nonprob", "slightly_prob", "problematic"),
    "health": ("recommended", "priority", "not_recom"),
}
# Burden of employment: a row for each occupation of the parents, a digit for each nursery
EMPLOYMENT = ("01123", "11233", "22333")
# Burden of the family's structure: a row for each form, a digit for each number of children
STRUCTURE = ("0122", "1122", "1222", "2222")
# Burden of the surroundings: a row for each housing, a digit for each financial standing
SURROUNDINGS = ("01", "11", "22")
# Burden of both: a row for each structure, a digit for each surroundings
STANDING = ("011", "112", "122")
# Burden of the social and health picture: a row for each social condition, a digit for each health
CONDITION = ("012", "012", "112")
# Class: for each condition a row for each standing, an entry for each employment
_R, _V, _P, _S, _N = "recommend", "very_recom", "priority", "spec_prior", "not_recom"
NURSERY_CLASS = (
    ((_R, _V, _P, _P), (_V, _V, _P, _P), (_P, _P, _P, _S)),
    ((_P, _P, _P, _P), (_P, _P, _P, _S), (_P, _P, _S, _S)),
    ((_N, _N, _N, _N), (_N, _N, _N, _N), (_N, _N, _N, _N)),
)


def car() -> pl.DataFrame:
    """Evaluate cars by price and technology.

    Returns
    -------
    polars.DataFrame
        1728 rows: buying and maintenance cost, doors, persons, luggage boot, safety, and the class.

    Examples
    --------
    >>> car()["class"].value_counts(sort=True)["count"].to_list()
    [1210, 384, 69, 65]
    """
    rows = []
    for buying, maint, doors, persons, boot, safety in _grades(CAR):
        price = int(PRICE[buying][maint])
        comfort = int(COMFORT[doors][3 * persons + boot])
        rows.append(CAR_CLASS[price][int(TECHNOLOGY[comfort][safety])])
    return _table(CAR, rows)


def nursery() -> pl.DataFrame:
    """Rank applications to nursery schools.

    Returns
    -------
    polars.DataFrame
        12960 rows: eight attributes of the family, and the recommendation.

    Examples
    --------
    >>> nursery()["class"].value_counts(sort=True)["count"].to_list()
    [4320, 4266, 4044, 328, 2]
    """
    rows = []
    for parents, has_nurs, form, children, housing, finance, social, health in _grades(NURSERY):
        employment = int(EMPLOYMENT[parents][has_nurs])
        standing = int(STANDING[int(STRUCTURE[form][children])][int(SURROUNDINGS[housing][finance])])
        rows.append(NURSERY_CLASS[int(CONDITION[social][health])][standing][employment])
    return _table(NURSERY, rows)


def _grades(scales: Mapping[str, Scale]) -> product[tuple[int, ...]]:
    """Give every combination of the attributes, by place on their scales."""
    return product(*(range(len(scale)) for scale in scales.values()))


def _table(scales: Mapping[str, Scale], classes: Sequence[str]) -> pl.DataFrame:
    """List every combination of the attributes with its class."""
    rows = [(*labels, label) for labels, label in zip(product(*scales.values()), classes, strict=True)]
    return pl.DataFrame(rows, schema=[*scales, "class"], orient="row")
