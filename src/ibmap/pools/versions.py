"""Versions of this package and of what makes its numbers: the same everywhere give the same answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version

from ibmap.errors import ClusterError

LIBRARIES = ("numpy", "scipy", "numba")  # whose versions may change the last bit


def check_version(wanted: str) -> None:
    """Refuse a worker that joined, with another version, after versions were compared."""
    from distributed import get_worker

    from ibmap import __version__

    if __version__ != wanted:
        msg = f"the worker {get_worker().address} has ibmap {__version__}, not {wanted}"
        raise ClusterError(msg)


def versions_here() -> dict[str, str]:
    """Give the versions of this package and of the libraries that make its numbers."""
    from ibmap import __version__

    return {"ibmap": __version__, **{name: version(name) for name in LIBRARIES}}


def versions_there(libraries: Sequence[str]) -> Callable[[], dict[str, str]]:
    """Give a function that tells versions, and travels to workers that do not have this package."""

    def told() -> dict[str, str]:
        from importlib.metadata import PackageNotFoundError, version

        found = {}
        try:
            from ibmap import __version__

            found["ibmap"] = __version__
        except ImportError:
            found["ibmap"] = ""
        for name in libraries:
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                found[name] = ""
        return found

    return told


def listed(versions: dict[str, str], chosen: Iterable[str] | None = None) -> str:
    """List packages with their versions."""
    names = versions if chosen is None else chosen
    return ", ".join(f"{name} {versions[name]}" if versions[name] else f"no {name}" for name in names)
