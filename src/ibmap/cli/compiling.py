"""What a climb has to wait for at first use: its kernels are compiled on all cores."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ibmap.cli.progress import Waiting
    from ibmap.table import EncodedTable


def has_compiled_kernels() -> bool:
    """Tell whether compiled kernels of an earlier run can be expected.

    Returns
    -------
    bool
        True if Numba has left any beside the package or in its own folder.
    """
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return True
    from ibmap import kernels

    return bool(kernels.cached_kernels(Path(kernels.__file__).parent))


def load_kernels_for(table: EncodedTable, is_recommended: bool, waiting: Waiting) -> None:
    """Load what compiles kernels, unless the recommended learner answers the table without them."""
    from ibmap.cli.loading import load_numba
    from ibmap.table import is_small

    if not (is_recommended and is_small(table)):
        waiting.expect(compiling=not has_compiled_kernels())
        load_numba()


def prepare_climb(table: EncodedTable, n_processes: int | None, waiting: Waiting) -> None:
    """Compile the kernels a climb needs, if an earlier run has not.

    With one process alone they are compiled as they are called: no more than are needed.

    Parameters
    ----------
    table : EncodedTable
        What will be learned from.
    n_processes : int or None
        How many may compile at once, of which at most four do; one for each core if None.
    waiting : Waiting
        Is told that it takes a while.
    """
    from ibmap.options import n_cores

    n_processes = n_processes or n_cores()
    from ibmap.kernels.compiling import IS_COMPILED

    if n_processes < 2 or not IS_COMPILED:
        return
    from ibmap.kernels.ahead import compile_ahead
    from ibmap.kernels.first_use import missing

    groups = missing(needed_groups(table))
    if groups:
        waiting.expect(compiling=True)
        compile_ahead(groups, n_processes)


def needed_groups(table: EncodedTable) -> tuple[Any, ...]:
    """List the groups of kernels that a climb on a table will need.

    Parameters
    ----------
    table : EncodedTable
        What will be learned from.

    Returns
    -------
    tuple of Group
        Those that take longest to compile first.
    """
    from ibmap.kernels.first_use import ANY_STATES, BINARY, BINARY_UNWEIGHTED, MANY_ROWS, MANY_TERMS
    from ibmap.table_score import FEW, MANY_STATES, WORTHWHILE

    n_states = table.cardinalities.max(initial=1)
    if n_states <= 2:
        return BINARY_UNWEIGHTED if table.distinct is None and not table.is_weighted else BINARY
    groups = ANY_STATES
    if table.n_variables > FEW or n_states >= MANY_STATES:
        groups = (MANY_TERMS, *groups)
    return (MANY_ROWS, *groups) if table.n_rows >= WORTHWHILE else groups
