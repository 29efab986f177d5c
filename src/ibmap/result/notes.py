"""What deserves a second look before a network is believed."""

from __future__ import annotations

from ibmap.data.table import EncodedTable
from ibmap.evidence.explanation import BY_EFFECTS
from ibmap.evidence.variables import by_thinness
from ibmap.evidence.words import NOTHING, listed
from ibmap.result import SearchResult
from ibmap.result.words import known_in_words, missing_cells


def find_notes(result: SearchResult, table: EncodedTable | None = None) -> tuple[tuple[str, str], ...]:
    """List what a reader should know of before believing a network."""
    notes = [*_limits(result), *_idle_edges(result), *_thin(result)]
    notes += _remedy(result) if notes[len(_limits(result)) :] else []
    notes += [*_known(result), *_disputed(result), *_acting_together(result), *_rows(result)]
    notes += [*_holes(result), *_screened(result)]
    if table is not None and table.preparation.dropped_columns:
        notes.append(("Columns left out", f"On request: {listed(table.preparation.dropped_columns)}."))
    notes += [("About the data", text) for text in (*result.provenance.notes, *result.provenance.warnings)]
    return tuple(notes)


def _limits(result: SearchResult) -> list[tuple[str, str]]:
    """Say that a limit ended the search."""
    if result.is_complete:
        return []
    text = (
        f"It ended before it was done ({result.stopped}), after {result.n_ascents or 0:,} ascents. The "
        "structure is the best so far; other edges may well be better."
    )
    return [("The search was cut short", text)]


def _idle_edges(result: SearchResult) -> list[tuple[str, str]]:
    """Say how many edges hardly matter."""
    required = result.required
    losses = [pair.loss for pair in result.evidence if pair.is_edge and (pair.x, pair.y) not in required]
    n_idle = sum(loss < NOTHING for loss in losses)
    if not n_idle:
        return []
    which = f"Any one of {n_idle:,} of the {len(losses):,} edges" if len(losses) > 1 else "The only edge"
    text = f"{which} could be taken out and the structure would be at least about as probable."
    return [("Edges with next to no evidence", text)]


def _thin(result: SearchResult) -> list[tuple[str, str]]:
    """Name the variables whose data are too thin to tell."""
    own = result.descriptions
    if result.provenance.options.get("test") in BY_EFFECTS:
        return []
    thin = [result.graph.names[k] for k in by_thinness(own) if own[k].thinness == "thin"]
    if not thin:
        return []
    text = (
        f"{len(thin):,} of {len(own):,} variables have at least half of their rows in slices of the blanket "
        f"that hold too few to tell: {listed(thin)}. An edge that is missing there may only be unseen."
    )
    return [("Thin data", text)]


def _remedy(result: SearchResult) -> list[tuple[str, str]]:
    """Name the learner that needs fewer rows, if this is another."""
    if result.provenance.algorithm == "ibmap":
        return []
    text = (
        "Tests on whole tables are known to fail where rows are few. The recommended learner needs far "
        "fewer: ibmap.IBMAP(), on the command line --algorithm ibmap."
    )
    return [("What to do", text)]


def _known(result: SearchResult) -> list[tuple[str, str]]:
    """Say what was known of pairs, and which required edges the data speak against."""
    told = known_in_words(result)
    if not told:
        return []
    against = [
        _pair(result, each.x, each.y)
        for each in result.evidence
        if (each.x, each.y) in result.required and each.loss < 0
    ]
    doubt = f" The data speak against {_pairs(len(against))} of those required: {listed(against)}."
    return [("Known before the data were seen", f"{told}.{doubt if against else ''}")]


def _disputed(result: SearchResult) -> list[tuple[str, str]]:
    """Name the pairs on which two searches disagree."""
    if not result.disputed:
        return []
    named = [_pair(result, x, y) for x, y in result.disputed]
    text = (
        f"A second search, begun elsewhere, ended in a structure that is nearly as good and differs in "
        f"{_pairs(len(named))}: {listed(named)}. The data leave them open."
    )
    return [("Two searches disagree", text)]


def _acting_together(result: SearchResult) -> list[tuple[str, str]]:
    """Name the pairs on which main effects and full tables disagree."""
    named = [_pair(result, each.x, each.y) for each in result.evidence if each.is_contested]
    if not named:
        return []
    text = (
        f"Main effects alone and full tables say different things of {_pairs(len(named))}: {listed(named)}. "
        "There, three or more variables may act together; ibmap explain tells what each model finds."
    )
    return [("Two models disagree", text)]


def _pair(result: SearchResult, x: int, y: int) -> str:
    return f"{result.graph.names[x]} -- {result.graph.names[y]}"


def _pairs(count: int) -> str:
    return "1 pair" if count == 1 else f"{count:,} pairs"


def _rows(result: SearchResult) -> list[tuple[str, str]]:
    """Say that rows were dropped."""
    source = result.provenance
    if not source.n_rows_dropped:
        return []
    total = source.n_samples + source.n_rows_dropped
    text = (
        f"{source.n_rows_dropped:,} of {total:,} rows have missing values and were left out. If values are "
        "missing for a reason, the rest is not a fair sample."
    )
    return [("Rows left out", text)]


def _holes(result: SearchResult) -> list[tuple[str, str]]:
    """Say that cells are missing, and what that may mean."""
    if not missing_cells(result) or result.provenance.options.get("missing") != "use":
        return []
    text = (
        "A pair is judged by the rows that show both: columns with many holes have fewer rows behind them. "
        "If cells are missing for a reason that no other column shows, edges of their columns may be off."
    )
    return [("Missing cells", text)]


def _screened(result: SearchResult) -> list[tuple[str, str]]:
    """Say that not all pairs were weighed."""
    k = result.provenance.options.get("screen")
    if not isinstance(k, int) or k >= result.graph.n_variables - 1:
        return []
    text = (
        f"Each variable was weighed with the {k:,} others most associated with it, and with a few "
        "drawn at random. All other pairs are taken as not joined, and the score leaves them out."
    )
    return [("Screened pairs", text)]
