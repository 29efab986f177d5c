"""What a first run has to wait for: kernels are compiled once, when they are first called."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ibmap.cli.progress import Waiting
    from ibmap.table import EncodedTable


def has_compiled_kernels() -> bool:
    """Tell whether an earlier run has left compiled kernels."""
    from ibmap.kernels.compiling import IS_COMPILED, cache_folder

    return not IS_COMPILED or any(cache_folder().iterdir())


def load_kernels_for(table: EncodedTable, is_recommended: bool, waiting: Waiting) -> None:
    """Load what compiles kernels, unless the recommended learner answers the table without them."""
    from ibmap.cli.loading import load_numba
    from ibmap.table import is_small

    if not (is_recommended and is_small(table)):
        waiting.expect(compiling=not has_compiled_kernels())
        load_numba()
