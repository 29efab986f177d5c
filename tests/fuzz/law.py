"""The law: hostile input is read or refused by our own errors, in time; nothing is obeyed or half written."""

import io
import json
import signal
import threading
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout

from ibmap.errors import IbmapError, IbmapWarning

SECONDS, WAITING = 10, 60  # of processor time, and by the clock: other work on the machine is no hang
OBEYED = set(map(chr, range(32))) - {"\n"} | set(map(chr, range(127, 160))) | {"\u202e", "\u2028"}


class BrokenLaw(AssertionError):  # noqa: N818
    """What must not happen did."""


@contextmanager
def lawful(case):
    """Let our own errors pass; anything else, or more than ten seconds, breaks the law."""

    def late(number, frame):
        raise BrokenLaw(f"{case}: still at work after {SECONDS} s")

    is_main = threading.current_thread() is threading.main_thread()
    before = [signal.signal(each, late) for each in (signal.SIGPROF, signal.SIGALRM)] if is_main else []
    if is_main:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(WAITING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IbmapWarning)
            yield
    except (IbmapError, OSError):
        pass
    except BrokenLaw:
        raise
    except BaseException as error:
        raise BrokenLaw(f"{case}: {type(error).__name__}: {error}") from error
    finally:
        if is_main:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
            for each, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
                signal.signal(each, handler)


def told(main, *arguments):
    """Run a command here; its code must be 0 or 2, and what it says must be quiet."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main([str(each) for each in arguments])
    except SystemExit as ending:
        said = out.getvalue() + err.getvalue()
        if ending.code not in (0, 2) or "Traceback" in said:
            raise BrokenLaw(f"{arguments}: exit {ending.code}: {said[-500:]}") from None
        if OBEYED & set(said):
            raise BrokenLaw(f"{arguments}: {sorted(OBEYED & set(said))!r} on the terminal") from None
        return ending.code, out.getvalue()
    raise BrokenLaw(f"{arguments}: no exit")


def is_json(text):
    """Whether it is JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
