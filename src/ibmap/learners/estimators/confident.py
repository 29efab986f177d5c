"""The method of all learners that tells how sure each edge is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError, InvalidTableError
from ibmap.options import RandomState, as_choice, as_count, as_number, as_thread_count

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
        n_fits: int | None = None,
        calibrate: bool = False,
        n_threads: int | None = 1,
        client: Any = None,
    ) -> Confidence:
        """Tell how sure each edge is.

        The result keeps what was found (`result_.confidence`), and the edges of `graph_` get the attribute
        `probability`, or `frequency` after a bootstrap.

        Parameters
        ----------
        method : {"posterior", "bootstrap"}
            The probability of each edge given the data, summed over all structures (up to ten variables) or
            averaged over structures that chains visit; or how often the learner finds the edge again
            in resampled rows. Learners without a score have the bootstrap alone.
        temperature : float, optional
            Structures have probability in proportion to exp(score / temperature): 1 is the score's own
            posterior. By default 1; for `ibmap.IBMAP` what makes its probabilities mean what they
            say, between 1 and 1.6, the higher the fewer the rows.
        random_state : int, numpy.random.Generator or None
            Seed; the same seed gives the same result, whatever the number of threads, unless time ran out.
        max_seconds : float, optional
            Give what is there after so many seconds.
        n_fits : int, optional
            Resampled tables of the bootstrap, 100 by default; simulated tables of `calibrate`, 20 by default.
        calibrate : bool
            Whether to find out if the probabilities come true (`reliability`): tables like this one are
            simulated from structures drawn in proportion to their probability, and learned. It takes
            up to a few seconds a table, in the time that `max_seconds` leaves.
        n_threads : int, optional
            Threads; every processor with None.
        client : dask.distributed.Client, optional
            The workers of its cluster run the chains of the posterior, or make the fits of the bootstrap; the
            result is the same. Codes and counts travel; names only if options of the learner speak of
            columns. Exact sums, of up to ten variables, and `calibrate` are worked out here.

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
        from ibmap.confidence.learned import (
            Effort,
            learned_frequencies,
            learned_posterior,
            n_usual_fits,
            seed_of,
        )  # fmt: skip

        seed = seed_of(random_state)
        table, options = self._own_table(), self._options_given()
        if method == "bootstrap" and calibrate:
            msg = "calibrate is an option of method='posterior': frequencies are no probabilities"
            raise InvalidOptionError(msg)
        n_fits = n_usual_fits(calibrate) if n_fits is None else as_count(n_fits, "n_fits", low=1)
        effort = Effort(seed, as_thread_count(n_threads), max_seconds, n_fits, client=client)
        if temperature is not None:
            if method == "bootstrap":
                msg = f"temperature is an option of method='posterior'; got {temperature!r} with 'bootstrap'"
                raise InvalidOptionError(msg)
            temperature = as_number(temperature, "temperature", low=0, high=float("inf"))
        if method == "bootstrap":
            return self._keep_confidence(learned_frequencies(self._own_result, table, options, effort))
        found = learned_posterior(self._own_result, table, options, temperature, effort)
        if calibrate:
            from ibmap.confidence.simulated import learned_reliability

            told = learned_reliability(self._own_result, table, options, found, effort)
            found = replace(found, reliability=told)
        return self._keep_confidence(found)

    def _keep_confidence(self, sure: Confidence) -> Confidence:
        """Let the result and the edges of the graph tell how sure they are."""
        self.result_ = replace(self._own_result, confidence=sure)
        nodes = list(self.graph_)  # type: ignore[attr-defined]
        for x, y in self.result_.graph.edges:
            ends = self.graph_.edges[nodes[x], nodes[y]]  # type: ignore[attr-defined]
            for kind in ("probability", "frequency"):
                ends.pop(kind, None)
            ends[sure.kind] = float(sure.edge_probabilities[x, y])
        return sure

    def _options_given(self) -> LearnerOptions:
        """Collect the options of the learner."""
        from ibmap.learners import LEARNERS

        params = self.get_params(deep=False)  # type: ignore[attr-defined]
        options = LEARNERS[self._own_result.provenance.algorithm].options
        return options(**{k: v for k, v in params.items() if k not in ("n_jobs", "callback")})

    @property
    def _own_result(self) -> SearchResult:
        """What was learned."""
        result: SearchResult = self.result_
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
