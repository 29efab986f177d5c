"""What a first run has to wait for: kernels are compiled once, when they are first called."""

from __future__ import annotations


def has_compiled_kernels() -> bool:
    """Tell whether an earlier run has left compiled kernels."""
    from ibmap.kernels.compiling import IS_COMPILED, cache_folder

    return not IS_COMPILED or any(cache_folder().iterdir())
