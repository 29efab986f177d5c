"""Four small tables with a story that is known, for examples and first steps. They need no network.

The counts of *titanic* and *admissions* are published facts: the report on the loss of the Titanic
(British Board of Trade, 1912; as tabulated by R. J. M. Dawson, 1995) and the study of admissions to
Berkeley's graduate schools (P. J. Bickel, E. A. Hammel and J. W. O'Connell, 1975). *survey* and
*questionnaire* are drawn from networks written here, so that what is learned can be held against the
truth.
"""

from __future__ import annotations

import numpy as np
import polars as pl

# Passengers and crew by age, sex and class: how many died, how many lived
_TITANIC = {
    ("child", "male"): {"first": (0, 5), "second": (0, 11), "third": (35, 13)},
    ("child", "female"): {"first": (0, 1), "second": (0, 13), "third": (17, 14)},
    ("adult", "male"): {"first": (118, 57), "second": (154, 14), "third": (387, 75), "crew": (670, 192)},
    ("adult", "female"): {"first": (4, 140), "second": (13, 80), "third": (89, 76), "crew": (3, 20)},
}
# Applicants by department: men admitted, men rejected, women admitted, women rejected
_ADMISSIONS = {
    "A": (512, 313, 89, 19),
    "B": (353, 207, 17, 8),
    "C": (120, 205, 202, 391),
    "D": (138, 279, 131, 244),
    "E": (53, 138, 94, 299),
    "F": (22, 351, 24, 317),
}
ANSWERS = ("never", "rarely", "sometimes", "often", "always")
# Each item with the items that it follows from; two of them are joined themselves, so nothing else is
QUESTIONNAIRE: dict[str, tuple[str, ...]] = {
    "worry": (),
    "tension": ("worry",),
    "sleep": ("worry", "tension"),
    "tired": ("sleep",),
    "focus": ("tired",),
    "mood": ("worry",),
    "interest": ("mood",),
    "energy": ("mood", "interest"),
    "appetite": ("mood",),
    "friends": ("interest",),
    "anger": ("tension",),
    "headache": (),
}
_N_ANSWERS, _SHARE_MISSING, _SEED = 600, 0.07, 5


def load_survey() -> pl.DataFrame:
    """Load a made-up health survey: 2,000 answers to ten questions.

    Nine pairs are joined in the network it is drawn from; `ibmap demo` learns it again.

    Returns
    -------
    polars.DataFrame
        Ten columns of two or three states.

    Examples
    --------
    >>> load_survey().shape
    (2000, 10)
    """
    from ibmap.datasets.demo import STATES, demo_rows

    names, *rows = demo_rows()
    schema = {name: pl.Enum(STATES[name]) for name in names}
    return pl.DataFrame(rows, schema=schema, orient="row")


def load_titanic() -> pl.DataFrame:
    """Load the 2,201 people on board the Titanic: class, age, sex, and who survived.

    Returns
    -------
    polars.DataFrame
        A row for each person.

    Examples
    --------
    >>> load_titanic()["survived"].value_counts(sort=True).rows()
    [('no', 1490), ('yes', 711)]
    """
    rows = [
        (where, age, sex, answer)
        for (age, sex), classes in _TITANIC.items()
        for where, counts in classes.items()
        for answer, count in zip(("no", "yes"), counts, strict=True)
        for _ in range(count)
    ]
    return pl.DataFrame(rows, schema=["class", "age", "sex", "survived"], orient="row")


def load_admissions() -> pl.DataFrame:
    """Load the applications to Berkeley's six largest departments in 1973, as a table of counts.

    Fewer women than men were admitted; in each department alone hardly any such difference is left.

    Returns
    -------
    polars.DataFrame
        24 rows: department, sex, decision, and the number of applicants (`count`).

    Examples
    --------
    >>> load_admissions()["count"].sum()
    4526
    """
    kinds = [("male", "admitted"), ("male", "rejected"), ("female", "admitted"), ("female", "rejected")]
    rows = [
        (department, *kind, count)
        for department, counts in _ADMISSIONS.items()
        for kind, count in zip(kinds, counts, strict=True)
    ]
    return pl.DataFrame(rows, schema=["department", "sex", "decision", "count"], orient="row")


def load_questionnaire() -> pl.DataFrame:
    """Load a made-up questionnaire: 600 people, twelve items with five answers in order, some left out.

    Returns
    -------
    polars.DataFrame
        Answers from "never" to "always"; seven in a hundred are missing.

    Examples
    --------
    >>> table = load_questionnaire()
    >>> table.shape, table["sleep"].null_count()
    ((600, 12), 45)
    """
    rng = np.random.default_rng(_SEED)
    codes: dict[str, np.ndarray] = {}
    for item, sources in QUESTIONNAIRE.items():
        centre = 1.4 + sum(
            (0.9 / len(sources) * (codes[each] - 1.4) for each in sources), np.zeros(_N_ANSWERS)
        )
        log_odds = -((np.arange(len(ANSWERS)) - centre[:, None]) ** 2) / (2.4 if sources else 3.5)
        below = np.cumsum(np.exp(log_odds), axis=1)
        codes[item] = (rng.random((_N_ANSWERS, 1)) * below[:, -1:] > below).sum(axis=1)
    answers = {
        item: [
            None if lost else ANSWERS[k]
            for lost, k in zip(rng.random(_N_ANSWERS) < _SHARE_MISSING, own, strict=True)
        ]
        for item, own in codes.items()
    }
    return pl.DataFrame(answers, schema={item: pl.Enum(ANSWERS) for item in QUESTIONNAIRE})
