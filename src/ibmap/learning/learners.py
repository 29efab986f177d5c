"""The learners by their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from ibmap.learning.gsmn import learn_gsmn
from ibmap.learning.hill_climbing import learn_hc
from ibmap.learning.options import (
    GSMNOptions,
    HillClimbingOptions,
    HITONOptions,
    IAMBOptions,
    LearnerOptions,
    RecommendedOptions,
    TestOptions,
    TreeSearchOptions,
)
from ibmap.learning.recommended import learn_recommended
from ibmap.learning.relatives import learn_gsimn, learn_gsmn_star, learn_hiton, learn_iamb
from ibmap.learning.tree_search import learn_ts
from ibmap.result import SearchResult


@dataclass(frozen=True)
class Learner:
    """A learner: its options and its function.

    Parameters
    ----------
    options : type
        A subclass of `LearnerOptions`; its fields are what can be chosen.
    learn : callable
        Takes an encoded table, options and `callback`; a parallel one also `n_threads`, one that
        can be resumed also `checkpoint` and `resume`.
    is_parallel : bool
        Whether it can use threads.
    is_resumable : bool
        Whether it can be kept in a file and resumed.
    """

    options: type[LearnerOptions]
    learn: Callable[..., SearchResult]
    is_parallel: bool = False
    is_resumable: bool = False

    def takes(self, option: str) -> bool:
        """Tell whether an option of the command line applies, whatever the test.

        Parameters
        ----------
        option : str
            Its name, with underscores.

        Returns
        -------
        bool
            True if so.

        Examples
        --------
        >>> LEARNERS["hc"].takes("start"), LEARNERS["gsmn"].takes("threads")
        (True, False)
        """
        if option == "threads":
            return self.is_parallel
        if option in ("checkpoint", "resume"):
            return self.is_resumable
        return option in {each.name for each in fields(self.options)}


LEARNERS = {
    "ibmap": Learner(RecommendedOptions, learn_recommended, is_parallel=True),
    "hc": Learner(HillClimbingOptions, learn_hc, is_parallel=True, is_resumable=True),
    "ts": Learner(TreeSearchOptions, learn_ts, is_parallel=True),
    "gsmn": Learner(GSMNOptions, learn_gsmn),
    "gsmn-star": Learner(TestOptions, learn_gsmn_star),
    "gsimn": Learner(TestOptions, learn_gsimn),
    "iamb": Learner(IAMBOptions, learn_iamb),
    "hiton": Learner(HITONOptions, learn_hiton),
}
