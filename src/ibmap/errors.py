"""Every exception and warning the package raises on purpose.

Each exception descends from `IbmapError` and from the built-in a user would
catch anyway, so ``except ValueError`` keeps working.
"""


class IbmapError(Exception):
    """Base of all errors raised by ibmap."""


class InvalidTableError(IbmapError, ValueError):
    """The input cannot be read as a table of discrete variables."""


class InvalidGraphError(IbmapError, ValueError):
    """The input cannot be read as an undirected graph over the variables."""


class InvalidOptionError(IbmapError, ValueError):
    """An option has a value outside its documented range."""


class KnowledgeError(InvalidOptionError):
    """What is said to be known of pairs contradicts itself or the table; it begins with the option."""


class UnknownVariableError(IbmapError, KeyError):
    """A variable was named or numbered that the table or graph does not have."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class NotExplainedError(IbmapError, LookupError):
    """A result keeps no evidence on a pair; the table it was learned from is needed."""


class TooLargeError(IbmapError, ValueError):
    """An exponential computation is larger than its stated limit."""


class ImpossibleEvidenceError(IbmapError, ValueError):
    """The condition of a question has probability zero."""


class FileFormatError(IbmapError, ValueError):
    """A file is not in the format its name or content promises."""


class MissingLibraryError(IbmapError, ImportError):
    """A library of an extra is needed that is not installed."""


class ClusterError(IbmapError, RuntimeError):
    """A cluster cannot do the work: no scheduler, no workers, or workers of another version."""


class StopSearch(Exception):  # noqa: N818 - not an error: a callback raises it to end a search
    """Raised by a callback to end a search cleanly, with the best so far."""


class UnavailableDataError(IbmapError, OSError):
    """A benchmark set can neither be generated, nor read, nor fetched."""


class IbmapWarning(UserWarning):
    """Base of all warnings issued by ibmap."""


class CacheWarning(IbmapWarning):
    """Compiled code is kept elsewhere, or not at all, or had to be compiled anew."""


class DataWarning(IbmapWarning):
    """The table is usable, but a column should be checked."""


class SearchWarning(IbmapWarning):
    """A search ended before it was done; the best so far is returned."""


class SamplingWarning(IbmapWarning):
    """A Markov chain mixed badly; its draws may not represent the network."""


class FittingWarning(IbmapWarning):
    """The estimation of parameters ended before its optimum was reached."""


class EstimateWarning(IbmapWarning):
    """A number that could not be computed exactly was estimated; the message gives its error."""
