"""Compiled loops: arrays in, arrays out, nothing from the rest of the package.

Numba keeps compiled kernels beside their source and does not notice when a
kernel they call, in another file, has changed. So whatever was compiled before
the newest of these files is thrown away here, on import.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def drop_stale_cache(folder: Path) -> int:
    """Delete compiled kernels that are older than any kernel's source.

    Parameters
    ----------
    folder : Path
        Where the kernels are.

    Returns
    -------
    int
        How many index files were deleted.
    """
    dropped = 0
    with suppress(OSError):
        newest = max((path.stat().st_mtime_ns for path in folder.glob("*.py")), default=0)
        for index in cached_kernels(folder):
            if index.stat().st_mtime_ns < newest:
                index.unlink(missing_ok=True)
                dropped += 1
    return dropped


def cached_kernels(folder: Path) -> list[Path]:
    """List the index files of compiled kernels, wherever Numba may keep them.

    Parameters
    ----------
    folder : Path
        Where the kernels' sources are.

    Returns
    -------
    list of Path
        In the folder that NUMBA_CACHE_DIR names; without it, beside the sources or in the
        user's cache.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return list(Path(chosen).glob(f"{folder.name}_*/*.nbi"))
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    users = (cache / "numba").glob(f"{folder.name}_*/*.nbi")
    return [*(folder / "__pycache__").glob("*.nbi"), *users]


drop_stale_cache(Path(__file__).parent)
