"""Compiled loops: arrays in, arrays out, nothing from the rest of the package.

Numba keeps compiled kernels beside their source and does not notice when a
kernel they call, in another file, has changed. So whatever was compiled before
the newest of the files it depends on is thrown away here, on import.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def drop_stale_cache(folder: Path) -> int:
    """Delete compiled kernels that are older than a source they depend on.

    Parameters
    ----------
    folder : Path
        Where the kernels are.

    Returns
    -------
    int
        How many index files were deleted. Others are marked as up to date.
    """
    dropped = 0
    with suppress(OSError):
        changed = {path.stem: path.stat().st_mtime_ns for path in folder.glob("*.py")}
        newest = max(changed.values(), default=0)
        stale = [index for index in cached_kernels(folder) if index.stat().st_mtime_ns < newest]
        needed = needed_sources(folder) if stale else {}
        for index in stale:
            sources = needed.get(index.name.split(".")[0], changed.keys())
            if index.stat().st_mtime_ns < max(changed[name] for name in sources):
                index.unlink(missing_ok=True)
                dropped += 1
            else:
                os.utime(index)
    return dropped


def needed_sources(folder: Path) -> dict[str, set[str]]:
    """Tell which sources each source of kernels depends on.

    Parameters
    ----------
    folder : Path
        Where they are.

    Returns
    -------
    dict from str to set of str
        By the names of modules: itself, what it imports from this package, what these import, and so on.
    """
    imported = {path.stem: imports_of(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")}
    needed: dict[str, set[str]] = {}
    for name in imported:
        found, rest = set(), {name}
        while rest:
            found |= rest
            rest = {each for one in rest for each in imported[one] if each in imported} - found
        needed[name] = found
    return needed


def imports_of(source: str) -> set[str]:
    """List the modules of this package that a source imports.

    Parameters
    ----------
    source : str
        Text of a module.

    Returns
    -------
    set of str
        Their names, without that of the package.
    """
    import ast

    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == __name__:
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{__name__}."):
            found.add((node.module or "").removeprefix(f"{__name__}."))
    return found


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
