"""Large tables are looked at part by part, with the same outcome."""

from dataclasses import replace

import numpy as np
import pytest

from ibmap.data.merging import BLOCK, MANY_ROWS, hardly_repeat
from ibmap.data.structure import find_copies, find_functions
from ibmap.data.table import EncodedTable

N_ROWS = MANY_ROWS + 1000


@pytest.mark.parametrize(("n_distinct", "expected"), [(100, False), (N_ROWS // 4, False), (2**40, True)])
@pytest.mark.parametrize("has_holes", [False, True])
def test_rows_hardly_repeat_if_far_more_differ_than_are_wanted(n_distinct, expected, has_holes):
    numbers = np.random.default_rng(0).integers(0, n_distinct, N_ROWS)
    codes = np.asfortranarray((numbers[:, None] >> np.arange(40)) & 1, np.uint16)
    missing = (codes == 1) if has_holes else None
    assert hardly_repeat(np.zeros_like(codes) if has_holes else codes, missing, N_ROWS // 4) == expected
    table = EncodedTable.from_codes(codes)
    if has_holes:
        table = replace(table, codes=np.zeros_like(codes), missing=missing)
    assert (table.distinct is None) == expected


def test_copies_and_functions_hold_to_the_last_row():
    rng = np.random.default_rng(1)
    n_rows = 2 * BLOCK + 10
    first = rng.integers(0, 4, n_rows)
    codes = np.column_stack([first, 3 - first, first // 2, 3 - first, first // 2, rng.integers(0, 2, n_rows)])
    codes[-1, 3], codes[-2, 4] = (codes[-1, 3] + 1) % 4, 1 - codes[-2, 4]
    codes[:BLOCK, 5] = 0  # of which the first rows show one state
    table = EncodedTable.from_codes(codes)
    assert find_copies(table) == {1: 0}
    assert find_functions(table) == [(0, 2), (1, 2)]
    late = EncodedTable.from_codes(np.column_stack([codes[:, 5], 1 - codes[:, 5], first]))
    assert find_copies(late) == {1: 0}
