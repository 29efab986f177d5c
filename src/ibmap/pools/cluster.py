"""The workers of a `dask.distributed` cluster as a pool: the same answer as here, to the last bit.

What calls need is brought to every worker once, and to those that join or restart later (`WorkerPlugin`).
Calls are cut into as many parts as run at once; a part is one message to a worker and one back. A worker that
dies costs time: the scheduler gives its part to another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from itertools import pairwise
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, Self, TypeVar
from uuid import uuid4

from ibmap.errors import ClusterError, InvalidOptionError, MissingLibraryError
from ibmap.pools.protocol import Pool
from ibmap.pools.threads import ThreadPool

if TYPE_CHECKING:
    from distributed import Client, Future

Found = TypeVar("Found")
Kept = TypeVar("Kept")

LIBRARIES = ("numpy", "scipy", "numba")  # whose versions may change the last bit
TICK = 1.0  # seconds between two looks at the workers
PATIENCE = 60.0  # seconds without any worker, for one that is restarted to come back
FRESH = 5.0  # seconds for which the number of workers is taken as known


def pool_of(client: Any, n_threads: int) -> Pool:
    """Choose who does the work: a client's workers, or threads if there is no client."""
    return ThreadPool(n_threads) if client is None else ClusterPool(client)


@contextmanager
def connected(address: str | None, timeout: float = 10.0) -> Iterator[Client | None]:
    """Connect to the scheduler at an address; without one there is no client."""
    if address is None:
        yield None
        return
    distributed = _library()
    try:
        client = distributed.Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError) as error:
        msg = (
            f"no scheduler answers at {address!r}; it must be the address that dask scheduler prints, such "
            "as tcp://10.0.0.5:8786"
        )
        raise ClusterError(msg) from error
    with client:
        yield client


def _library() -> Any:
    """Load the library of clusters."""
    try:
        import distributed
    except ImportError as error:
        msg = "a cluster needs dask.distributed, which is not installed: pip install 'ibmap[cluster]'"
        raise MissingLibraryError(msg) from error
    return distributed


class OnWorkers(NamedTuple, Generic[Kept]):
    """The name of a value that every worker holds."""

    name: str
    version: str  # of this package, where the value comes from

    def get(self) -> Kept:
        """Give the value, on a worker."""
        from distributed import get_worker

        from ibmap import __version__

        if __version__ != self.version:  # it joined after versions were compared
            msg = f"the worker {get_worker().address} has ibmap {__version__}, not {self.version}"
            raise ClusterError(msg)
        holder: Any = get_worker().plugins[self.name]
        value: Kept = holder.value
        return value


class ClusterPool:
    """Calls shared by the workers of a client."""

    def __init__(self, client: Any, patience: float = PATIENCE) -> None:
        if not isinstance(client, _library().Client) or client.asynchronous:
            msg = f"client must be a dask.distributed.Client that is not asynchronous; got {client!r}"
            raise InvalidOptionError(msg)
        self._client, self._patience = client, patience
        self._held: dict[int, tuple[Any, str]] = {}
        self._waiting: list[Future[Any]] = []
        self._size, self._counted = 0, -FRESH
        self._alone_since: float | None = None
        if self.size == 0:
            msg = f"no worker is connected to the scheduler at {self._address}; start some, then learn"
            raise ClusterError(msg)
        self._compare_versions()

    @property
    def _address(self) -> str:
        return str(self._client.scheduler.address) if self._client.scheduler else "an unknown address"

    @property
    def size(self) -> int:
        """Threads of all workers."""
        if time.monotonic() - self._counted > FRESH:
            self._count()
        return self._size

    def _count(self) -> int:
        """Count the threads of all workers."""
        with self._reporting():
            self._size = sum(self._client.nthreads().values())
        self._counted = time.monotonic()
        return self._size

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with suppress(Exception):  # of a cluster that is gone nothing has to be taken back
            self._client.cancel(self._waiting)
        for value, _ in [*self._held.values()]:
            self.release(value)

    def hold(self, value: Kept) -> OnWorkers[Kept]:
        """Bring a value to every worker, and to those that will join; the second time it is there."""
        if id(value) not in self._held:
            name = f"ibmap-{uuid4().hex}"
            self._held[id(value)] = value, name
            self._register(holder_of(value), name)
        return OnWorkers(self._held[id(value)][1], versions_here()["ibmap"])

    def _register(self, holder: Any, name: str) -> None:
        """Send a value; a worker that dies meanwhile gets it when it is back."""
        while True:
            try:
                self._client.register_plugin(holder, name=name)
                return
            except OSError:
                self._look_at_workers()
                time.sleep(TICK)

    def release(self, value: Any) -> None:
        """Let the workers forget a value."""
        _, name = self._held.pop(id(value), (None, None))
        if name is not None:
            with suppress(Exception):  # a worker that died, or all
                self._client.unregister_worker_plugin(name)

    def map(self, call: Callable[..., Found], *arguments: Iterable[Any]) -> list[Found]:
        """Call once for each of the arguments; give what is returned in their order."""
        calls = list(zip(*arguments, strict=False))
        size = min(max(self.size, 1), len(calls))
        ends = [len(calls) * k // size for k in range(size + 1)] if calls else [0]
        parts = [calls[begin:end] for begin, end in pairwise(ends)]
        with self._reporting(), self._client.as_current():
            submit = self._client.submit
            self._waiting = [submit(call_each, call, part, pure=False, key=_key(call)) for part in parts]
            self._wait()
            found = self._client.gather(self._waiting)
        self._waiting = []
        return [each for part in found for each in part]

    def _wait(self) -> None:
        """Wait for all parts, with a look at the workers now and then."""
        from distributed import wait

        while self._waiting:
            try:
                wait(self._waiting, timeout=TICK)  # type: ignore[no-untyped-call]
                self._alone_since = None
                return
            except TimeoutError:
                self._look_at_workers()

    def _look_at_workers(self) -> None:
        """End if there has been no worker for too long."""
        now = time.monotonic()
        if self._count() > 0:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = now
        elif now - self._alone_since >= self._patience:
            msg = (
                f"no worker is left at {self._address}, and none came back in {self._patience:.0f} s; start "
                "workers and learn again"
            )
            raise ClusterError(msg)

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Say in our words what a cluster may do wrong."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            yield
        except KilledWorker as error:
            msg = (
                f"several workers died one after the other while at the same part of the work, the last at "
                f"{error.last_worker.address}; they may have too little memory for the table"
            )
            raise ClusterError(msg) from error
        except (CancelledError, OSError) as error:
            self._tell_lost(error)
        except (ImportError, AttributeError) as error:
            self._compare_versions()  # of workers that joined later
            raise ClusterError(str(error)) from error

    def _tell_lost(self, error: BaseException) -> NoReturn:
        """Say that the scheduler is gone."""
        msg = f"the connection to the scheduler at {self._address} was lost; start it and learn again"
        raise ClusterError(msg) from error

    def _compare_versions(self) -> None:
        """Refuse workers without the package, or with other versions than here."""
        here = versions_here()
        found = self._client.run(versions_there(LIBRARIES), on_error="return")
        for worker, there in sorted(found.items()):
            if isinstance(there, OSError):  # it died meanwhile
                continue
            other = {name: there[name] for name in here if there[name] != here[name]}
            if other:
                msg = f"the worker {worker} has {_listed(other)}, here is {_listed(here, other)}; the same "
                msg += "versions everywhere give the same answer: install them on the workers"
                raise ClusterError(msg)


def holder_of(value: Any) -> Any:
    """Make what keeps a value in the process of a worker."""
    from distributed import WorkerPlugin

    class Holder(WorkerPlugin):
        """Keeps a value."""

        def __init__(self, value: Any) -> None:
            self.value = value

    return Holder(value)


def call_each(call: Callable[..., Found], part: Sequence[tuple[Any, ...]]) -> list[Found]:
    """Make the calls of a part, on a worker."""
    return [call(*each) for each in part]


def _key(call: Any) -> str:
    """Name a part of the work, as dashboards show it."""
    name = getattr(call, "func", call).__name__.strip("_")
    return f"ibmap-{name}-{uuid4().hex}"


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


def _listed(versions: dict[str, str], chosen: Iterable[str] | None = None) -> str:
    """List packages with their versions."""
    names = versions if chosen is None else chosen
    return ", ".join(f"{name} {versions[name]}" if versions[name] else f"no {name}" for name in names)
