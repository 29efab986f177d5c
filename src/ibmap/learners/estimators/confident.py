"""The method of all learners that tells how sure each edge is."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError, InvalidTableError
from ibmap.options import RandomState, as_choice, as_count, as_generator, as_number, as_thread_count

if TYPE_CHECKING:
    from ibmap.confidence import Confidence
    from ibmap.learners import LearnerOptions
    from ibmap.result import SearchResult

MAX_SECONDS = 60.0  # of chains that do not settle


class ConfidentLearner:
    """Adds `confidence` to a learner."""

    def confidence(
        self,
        method: str = "posterior",
        *,
        temperature: float | None = None,
        random_state: RandomState = 0,
        max_seconds: float | None = MAX_SECONDS,
        n_fits: int = 100,
        n_threads: int | None = 1,
    ) -> Confidence:
        """Tell how sure each edge is.

        Parameters
        ----------
        method : {"posterior", "bootstrap"}
            The probability of each edge given the data, summed over all structures (up to ten variables) or
            averaged over structures that chains visit; or how often the learner finds the edge again
            in resampled rows. Learners without a score have the bootstrap alone.
        temperature : float, optional
            Structures have probability in proportion to exp(score / temperature): 1 is the score's own
            posterior. By default 1; for `ibmap.IBMAP` what makes its probabilities mean what they
            say, between 1 and 2, the higher the fewer the rows.
        random_state : int, numpy.random.Generator or None
            Seed; the same seed gives the same result, whatever the number of threads, unless time ran out.
        max_seconds : float, optional
            Give what is there after so many seconds.
        n_fits : int
            Resampled tables of the bootstrap.
        n_threads : int, optional
            Threads; every processor with None.

        Returns
        -------
        Confidence
            Probabilities, verdicts, and how it went.

        Examples
        --------
        >>> import ibmap
        >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
        >>> sure = ibmap.IBMAPHC().fit(rows).confidence()
        >>> sure.counts
        {'present': 1, 'undecided': 2, 'absent': 0}
        """
        check_is_fitted(self)
        as_choice(method, "method", ("posterior", "bootstrap"))
        if max_seconds is not None:
            as_number(max_seconds, "max_seconds", low=0, high=float("inf"), from_low=True)
        seed = int(as_generator(random_state).integers(2**31))
        table, threads = self._own_table(), as_thread_count(n_threads)
        if method == "bootstrap":
            if temperature is not None:
                msg = f"temperature is an option of method='posterior'; got {temperature!r} with 'bootstrap'"
                raise InvalidOptionError(msg)
            return self._bootstrap(table, seed, threads, max_seconds, as_count(n_fits, "n_fits", low=1))
        return self._posterior(table, temperature, seed, threads, max_seconds)

    def _posterior(
        self,
        table: EncodedTable,
        temperature: float | None,
        seed: int,
        n_threads: int,
        max_seconds: float | None,
    ) -> Confidence:
        """Work out the posterior of the learner's score."""
        from ibmap.confidence.posterior import posterior_confidence
        from ibmap.confidence.sampling import SamplingPlan
        from ibmap.learners import RecommendedOptions, ScoreOptions
        from ibmap.score import local_score

        options = self._recorded_options()
        if not isinstance(options, (ScoreOptions, RecommendedOptions)):
            msg = (
                f"{type(self).__name__} has no score, so its structures have no probabilities; "
                "use method='bootstrap', or learn with ibmap.IBMAP"
            )
            raise InvalidOptionError(msg)
        if temperature is None:
            temperature = self._temperature(table)
        temperature = as_number(temperature, "temperature", low=0, high=float("inf"))
        return posterior_confidence(
            local_score(options.make_test(table)),
            self._own_result.graph,
            temperature=temperature,
            seed=seed,
            plan=SamplingPlan(max_seconds=max_seconds, n_threads=n_threads),
        )

    def _bootstrap(
        self, table: EncodedTable, seed: int, n_threads: int, max_seconds: float | None, n_fits: int
    ) -> Confidence:
        """Learn again from resampled rows."""
        from ibmap.confidence import Confidence
        from ibmap.confidence.bootstrap import Effort, inclusion_threshold, resample
        from ibmap.learners import LEARNERS

        begun, learner = time.monotonic(), LEARNERS[self._own_result.provenance.algorithm]
        options = self._options_given()
        found = resample(
            lambda rows: learner.learn(rows, options).graph,
            table,
            n_fits=n_fits,
            effort=Effort(seed, n_threads, max_seconds),
        )
        details = {
            "stopped": found.stopped,
            "seconds": time.monotonic() - begun,
            "n_fits": found.n_fits,
            "threshold": inclusion_threshold(found.frequencies),
        }
        is_known = np.full(found.frequencies.shape, found.n_fits > 0)
        return Confidence(table.names, found.frequencies, "bootstrap", None, is_known, details)

    def _temperature(self, table: EncodedTable) -> float:
        """Give the default temperature: the score's own posterior, but for the recommended learner."""
        if self._own_result.provenance.algorithm != "ibmap":
            return 1.0
        from ibmap.confidence.calibration import recommended_temperature

        return recommended_temperature(table.n_samples)

    def _options_given(self) -> LearnerOptions:
        """Collect the options of the learner."""
        from ibmap.learners import LEARNERS

        params = self.get_params(deep=False)  # type: ignore[attr-defined]
        options = LEARNERS[self._own_result.provenance.algorithm].options
        return options(**{k: v for k, v in params.items() if k not in ("n_jobs", "callback")})

    def _recorded_options(self) -> LearnerOptions:
        """Collect the options with the prior that was learned."""
        given = self._options_given()
        if getattr(given, "prior", 0.5) is None:
            return replace(given, prior=self._own_result.provenance.options["prior"])  # type: ignore[call-arg]
        return given

    @property
    def _own_result(self) -> SearchResult:
        """What was learned."""
        result: SearchResult = self.result_  # type: ignore[attr-defined]
        return result

    def _own_table(self) -> EncodedTable:
        """Give the table learned from, if it is still there."""
        table: EncodedTable | None = getattr(self, "_table", None)
        if table is None or table.fingerprint != self._own_result.provenance.fingerprint:
            msg = (
                "this learner (pickled, copied, or stopped in a new fit) does not have its rows; fit it again"
            )
            raise InvalidTableError(msg)
        return table
