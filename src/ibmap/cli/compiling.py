"""What a first run has to wait for: kernels are compiled once, when they are first called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ibmap.cli.progress import Waiting
    from ibmap.data.table import EncodedTable


def kernel_folder() -> Path | None:
    """Give the folder where compiled kernels are kept; None if they are not."""
    from ibmap.kernels.compiling import cache_folder

    return cache_folder()


def has_compiled_kernels() -> bool:
    """Tell whether an earlier run has left compiled kernels, or none are needed."""
    from ibmap.kernels.compiling import IS_COMPILED

    folder = kernel_folder()
    return not IS_COMPILED if folder is None else any(folder.iterdir())


def load_kernels_for(table: EncodedTable, is_recommended: bool, waiting: Waiting) -> None:
    """Load what compiles kernels, unless the recommended learner answers the table without them."""
    from ibmap.cli.loading import load_numba
    from ibmap.data.table import is_small

    if not (is_recommended and is_small(table)):
        waiting.expect(compiling=not has_compiled_kernels())
        load_numba()
