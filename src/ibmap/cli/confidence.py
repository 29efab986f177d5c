"""How sure the edges of a network are, as ``ibmap learn`` asks for it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ibmap.cli.flags import member
from ibmap.cli.interrupts import Interrupts
from ibmap.cli.options import check_outputs
from ibmap.errors import InvalidOptionError
from ibmap.options import n_cores

if TYPE_CHECKING:
    from ibmap.data.table import EncodedTable
    from ibmap.learners import LearnerOptions
    from ibmap.result import SearchResult

SURE = "How sure each edge is"
Method = Literal["posterior", "bootstrap", "none"]


@dataclass(frozen=True)
class Asked:
    """What is asked about how sure each edge is."""

    confidence: Method | None = member(
        None,
        "The probability of each edge, or how often resampled rows give it. (default: ibmap: posterior, as "
        "far as that takes a few seconds; others: none)",
        panel=SURE,
    )
    fits: int | None = member(
        None,
        "Resampled tables of the bootstrap, simulated ones of --calibrate. (default: 100, 20)",
        "N",
        min=1,
        panel=SURE,
    )
    calibrate: bool = member(
        False,
        "Find out whether the probabilities come true: simulate tables like this one from structures as "
        "probable as they are, learn them, and compare. Up to a few seconds a table.",
        panel=SURE,
    )
    median: str | None = member(
        None,
        "Also write the median network: all pairs more probable than not, in a format of --output.",
        "FILE",
        panel=SURE,
    )

    @property
    def method(self) -> Method | None:
        """What to work out; None for what the learner does without being asked."""
        is_meant = (self.median or self.calibrate) and self.confidence is None
        return "posterior" if is_meant else self.confidence

    def check(self, options: "LearnerOptions", algorithm: str) -> None:
        """Refuse what cannot be, before the table is read."""
        if self.fits is not None and self.confidence != "bootstrap" and not self.calibrate:
            msg = "--fits belongs to --confidence bootstrap and --calibrate; add one, or leave it out"
            raise InvalidOptionError(msg)
        if self.calibrate and self.confidence in ("bootstrap", "none"):
            msg = f"--calibrate takes probabilities; use --confidence posterior, not {self.confidence}"
            raise InvalidOptionError(msg)
        if self.median is not None:
            if self.confidence in ("bootstrap", "none"):
                msg = f"--median takes probabilities; use --confidence posterior, not {self.confidence}"
                raise InvalidOptionError(msg)
            check_outputs([self.median])
        if self.method == "posterior":
            from ibmap.confidence.learned import refuse_scoreless

            refuse_scoreless(options, algorithm)

    def takes_kernels(self, table: "EncodedTable") -> bool:
        """Tell whether so many fits are asked for that kernels are compiled, however small the table."""
        from ibmap.confidence.learned import takes_many_fits

        return self.method == "posterior" and takes_many_fits(table, quick=False)

    def answered(
        self,
        result: "SearchResult",
        table: "EncodedTable",
        options: "LearnerOptions",
        interrupts: Interrupts,
        how: Mapping[str, Any],
    ) -> "SearchResult":
        """Add how sure each edge is; unasked, for the recommended learner where that takes seconds."""
        is_unasked, left = self.method is None, _seconds_left(result, options)
        if self.method == "none" or interrupts.is_interrupted or (is_unasked and not _is_usual(result)):
            return result
        from ibmap.confidence.learned import (
            Effort,
            is_quick,
            learned_frequencies,
            learned_posterior,
            n_usual_fits,
            seed_of,
        )  # fmt: skip
        from ibmap.progress import Monitor

        if is_unasked and (left == 0 or not is_quick(table)):
            return result
        monitor = Monitor(interrupts)
        n_fits = self.fits or n_usual_fits(self.calibrate)
        n_threads = how.get("threads") or n_cores()
        effort = Effort(seed_of(0), n_threads, left, n_fits, monitor, is_unasked, how.get("client"))
        with interrupts:
            if self.method == "bootstrap":
                sure = learned_frequencies(result, table, options, effort)
            else:
                sure = learned_posterior(result, table, options, effort=effort)
            if self.calibrate and sure.diagnostics["stopped"] != "interrupted":
                from ibmap.confidence.simulated import learned_reliability

                told = learned_reliability(result, table, options, sure, effort)
                sure = replace(sure, reliability=told)
        return replace(result, confidence=sure)


def _is_usual(result: "SearchResult") -> bool:
    """Tell whether the learner works out probabilities without being asked."""
    return result.provenance.algorithm == "ibmap" and result.graph.n_variables > 1 and result.is_complete


def _seconds_left(result: "SearchResult", options: "LearnerOptions") -> float | None:
    """Give what is left of the time that was given."""
    limit = getattr(options, "max_seconds", None)
    return None if limit is None else max(limit - result.provenance.seconds, 0.0)
