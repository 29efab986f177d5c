"""The workers of a `dask.distributed` cluster as a pool: the same answer as here, to the last bit.

What calls need is brought to every worker once, and to those that join or restart later (`WorkerPlugin`).
Calls are cut into as many parts as run at once; a part is one message to a worker and one back. A worker that
dies costs time: the scheduler gives its part to another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, Self, TypeVar
from uuid import uuid4

from ibmap.errors import ClusterError, InvalidOptionError, MissingLibraryError
from ibmap.pools.protocol import Pool
from ibmap.pools.threads import ThreadPool
from ibmap.pools.versions import LIBRARIES, check_version, listed, versions_here, versions_there

if TYPE_CHECKING:
    from distributed import Client, Future

Found = TypeVar("Found")
Kept = TypeVar("Kept")

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

        check_version(self.version)
        holder: Any = get_worker().plugins.get(self.name)
        if holder is None:
            raise NotHeldError(self.name)
        value: Kept = holder.value
        return value


class NotHeldError(Exception):
    """A worker came back without a value that it should hold."""


class ClusterPool:
    """Calls shared by the workers of a client."""

    def __init__(self, client: Any, patience: float = PATIENCE) -> None:
        if not isinstance(client, _library().Client) or client.asynchronous:
            msg = f"client must be a dask.distributed.Client that is not asynchronous; got {client!r}"
            raise InvalidOptionError(msg)
        self._client, self._patience = client, patience
        self._held: dict[int, tuple[Any, str]] = {}
        self._waiting: list[Future[Any]] = []
        self._workers: dict[str, int] = {}
        self._compared: set[str] = set()
        self._counted = -FRESH
        self._alone_since: float | None = None
        if self.size == 0:
            msg = f"no worker is connected to the scheduler at {self._address}; start some, then learn"
            raise ClusterError(msg)
        self._compare_versions(self._workers)

    @property
    def _address(self) -> str:
        return str(self._client.scheduler.address) if self._client.scheduler else "an unknown address"

    @property
    def size(self) -> int:
        """Threads of all workers."""
        if time.monotonic() - self._counted > FRESH:
            self._count()
        return sum(self._workers.values())

    def _count(self) -> int:
        """Count the workers and their threads."""
        with self._reporting():
            self._workers = dict(sorted(self._client.nthreads().items()))
        self._counted = time.monotonic()
        return len(self._workers)

    def workers(self, is_lost: bool = False) -> dict[str, int]:
        """Give the threads of each worker; where there is none, or one was lost, look again and wait."""
        if is_lost or time.monotonic() - self._counted > FRESH:
            self._look_at_workers()
        while not self._workers:
            time.sleep(TICK)
            self._look_at_workers()
        if new := {*self._workers} - self._compared:
            self._compare_versions(new)
        return self._workers

    def memory(self) -> int | None:
        """Give the least memory that a worker may use; None if there is no limit."""
        with self._reporting():
            told = self._client.scheduler_info()["workers"].values()
        return min((limit for each in told if (limit := each.get("memory_limit"))), default=None)

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
        with self._reporting():
            self._waiting = [self._submit_part(call, part) for part in parts]
            self._wait(call, parts)
            found = self.gather(self._waiting)
        self._waiting = []
        return [each for part in found for each in part]

    def as_done(self, call: Callable[[Any], Found], arguments: Sequence[Any]) -> Iterator[tuple[int, Found]]:
        """Make calls that take long, each by itself; give place and result of each as soon as it is done."""
        self._waiting = [self.submit(call, each, key=key_of(call)) for each in arguments]
        places = {future: k for k, future in enumerate(self._waiting)}
        while places:
            with suppress(TimeoutError):
                self.wait([*places], TICK, "FIRST_COMPLETED")
            self._look_at_workers()
            for future in [each for each in places if each.status != "pending"]:
                place = places.pop(future)
                if _is_bare(future):
                    self._hold_again()
                    again = self._waiting[place] = self.submit(call, arguments[place], key=key_of(call))
                    places[again] = place
                else:
                    with self._reporting():
                        result = self.gather([future])[0]
                    yield place, result
        self._waiting = []

    def _submit_part(self, call: Callable[..., Any], part: Sequence[tuple[Any, ...]]) -> Future[Any]:
        """Ask for a part of the calls."""
        return self.submit(call_each, call, part, key=key_of(call))

    def submit(self, call: Callable[..., Any], *arguments: Any, **how: Any) -> Future[Any]:
        """Ask for a call on a worker."""
        with self._reporting(), self._client.as_current():
            future: Future[Any] = self._client.submit(call, *arguments, pure=False, **how)
            return future

    def _wait(self, call: Callable[..., Any], parts: Sequence[Sequence[tuple[Any, ...]]]) -> None:
        """Wait for all parts, with a look at the workers now and then."""
        while self._waiting:
            try:
                self.wait(self._waiting, TICK)
            except TimeoutError:
                self._look_at_workers()
                continue
            self._alone_since = None
            bare = [k for k, each in enumerate(self._waiting) if _is_bare(each)]
            if not bare:
                return
            self._hold_again()
            for k in bare:
                self._waiting[k] = self._submit_part(call, parts[k])

    def _hold_again(self) -> None:
        """Bring what workers should hold to all of them once more."""
        for value, name in [*self._held.values()]:
            self._register(holder_of(value), name)

    def wait(self, futures: Sequence[Future[Any]], seconds: float, until: str = "ALL_COMPLETED") -> None:
        """Wait for calls to end; TimeoutError if they do not."""
        from distributed import wait

        with self._client.as_current():
            wait(futures, timeout=seconds, return_when=until)  # type: ignore[no-untyped-call]

    def gather(self, futures: Sequence[Future[Any]]) -> list[Any]:
        """Fetch what calls have returned; CancelledError if one is lost."""
        from concurrent.futures import CancelledError

        try:
            return list(self._client.gather(futures))
        except CancelledError:
            raise
        except Exception as error:
            with self._reporting():
                raise error from None

    def bring(self, value: Any, worker: str) -> Future[Any] | None:
        """Send a value to one worker, which then owns it; nothing if it is gone."""
        with suppress(OSError, KeyError, TimeoutError):
            future: Future[Any] = self._client.scatter([value], workers=[worker], hash=False)[0]
            return future
        return None

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
            self._count()
            self._compare_versions(self._workers)  # of workers that joined later
            raise ClusterError(str(error)) from error

    def _tell_lost(self, error: BaseException) -> NoReturn:
        """Say that the scheduler is gone."""
        msg = f"the connection to the scheduler at {self._address} was lost; start it and learn again"
        raise ClusterError(msg) from error

    def _compare_versions(self, workers: Iterable[str]) -> None:
        """Refuse workers without the package, or with other versions than here."""
        here = versions_here()
        found = self._client.run(versions_there(LIBRARIES), workers=[*workers], on_error="return")
        for worker, there in sorted(found.items()):
            if isinstance(there, OSError):  # it died meanwhile
                continue
            other = {name: there[name] for name in here if there[name] != here[name]}
            if other:
                msg = f"the worker {worker} has {listed(other)}, here is {listed(here, other)}; the same "
                msg += "versions everywhere give the same answer: install them on the workers"
                raise ClusterError(msg)
            self._compared.add(worker)


def holder_of(value: Any) -> Any:
    """Make what keeps a value in the process of a worker."""
    from distributed import WorkerPlugin

    class Holder(WorkerPlugin):
        """Keeps a value."""

        def __init__(self, value: Any) -> None:
            self.value = value

    return Holder(value)


def _is_bare(future: Future[Any]) -> bool:
    """Tell whether a call met a worker without what it should hold."""
    return future.status == "error" and isinstance(future.exception(), NotHeldError)  # type: ignore[no-untyped-call]


def call_each(call: Callable[..., Found], part: Sequence[tuple[Any, ...]]) -> list[Found]:
    """Make the calls of a part, on a worker."""
    return [call(*each) for each in part]


def key_of(call: Any) -> str:
    """Name a part of the work, as dashboards show it."""
    name = getattr(call, "func", call).__name__.strip("_")
    return f"ibmap-{name}-{uuid4().hex}"
