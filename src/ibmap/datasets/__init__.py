"""Small tables to try things on, and the benchmark sets of the paper.

`load_survey`, `load_titanic`, `load_admissions` and `load_questionnaire` need nothing but the package. Of the
benchmark sets seven follow from rules and are generated here; the others are read from a folder or fetched
from OpenML. All are from the UCI Machine Learning Repository (D. Dua and C. Graff, 2019).

Examples
--------
>>> from ibmap import datasets
>>> datasets.car().columns
['buying', 'maint', 'doors', 'persons', 'lug_boot', 'safety', 'class']
>>> datasets.load("lenses").equals(datasets.lenses())
True
"""

from ibmap.datasets.bundled import load_admissions, load_questionnaire, load_survey, load_titanic
from ibmap.datasets.catalogue import CATALOGUE
from ibmap.datasets.decision_models import car, nursery
from ibmap.datasets.fetching import benchmark_table, load
from ibmap.datasets.rules import balance_scale, baloons, lenses, monks_1, tictactoe

NAMES = tuple(CATALOGUE)

__all__ = [
    "NAMES",
    "balance_scale",
    "baloons",
    "benchmark_table",
    "car",
    "lenses",
    "load",
    "load_admissions",
    "load_questionnaire",
    "load_survey",
    "load_titanic",
    "monks_1",
    "nursery",
    "tictactoe",
]
