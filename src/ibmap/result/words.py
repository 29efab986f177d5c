"""How a result came about, in words: shared by the command line, the page and notebooks."""

from __future__ import annotations

from ibmap.evidence.words import listed
from ibmap.result import SearchResult

LEARNERS = {
    "ibmap": "IBMAP",
    "hc": "IBMAP-HC",
    "ts": "IBMAP-TS",
    "gsmn": "GSMN",
    "gsmn-star": "GSMN*",
    "gsimn": "GSIMN",
    "iamb": "IAMB",
    "hiton": "HITON",
    "hhc": "IBMAP-HHC",
    "beam": "Beam search",
    "restarts": "IBMAP-HC with restarts",
    "bjp": "Climb by BJP",
    "mpl": "Climb by MPL",
    "pic": "Climb by PIC",
    "pfmn": "PFMN",
}
METHODS = {
    "exact": "summed over all structures",
    "sampled": "averaged over structures that chains visit",
    "open pairs": "chains, then summed over the pairs they leave open",
    "bootstrap": "how often resampled rows give the edge",
}
STARTS = {"empty": "the empty structure", "blankets": "the blankets its variables choose"} | {
    name: f"{LEARNERS[name]}'s structure" for name in ("gsmn", "gsmn-star", "gsimn", "iamb", "hiton")
}
ENDINGS = {
    "optimum": "no change of one edge improves the score",
    "max_ascents": "stopped at --max-ascents; this is the best so far",
    "max_seconds": "stopped at --max-seconds; this is the best so far",
    "max_nodes": "stopped at --max-nodes; this is the best so far",
    "max_memory": "stopped at --max-memory; this is the best so far",
    "max_tests": "stopped at --max-tests; this is the best so far",
    "finished": "flipping the least probable pair does not improve it",
    "interrupted": "interrupted; this is the best so far",
}


TREATMENTS = {  # of missing cells
    "use": "every row is used, for each pair those that show both",
    "state": "taken as a state of their own",
}


def missing_cells(result: SearchResult) -> str:
    """Say how many cells are missing in which columns, and how they were treated; nothing if none are."""
    counts = {
        name: each.n_missing
        for name, each in zip(result.graph.names, result.descriptions, strict=False)
        if each.n_missing
    }
    treatment = TREATMENTS.get(str(result.provenance.options.get("missing")))
    if not counts or treatment is None:
        return ""
    n_missing, n_cells = sum(counts.values()), result.provenance.n_samples * result.graph.n_variables
    worst = sorted(counts, key=lambda name: -counts[name])
    each = listed([f"{name} ({counts[name]:,})" for name in worst])
    return f"{n_missing:,} cells ({n_missing / max(n_cells, 1):.1%}), in {each}; {treatment}"


def how_learned(result: SearchResult) -> str:
    """Name the learner of a result and how it went."""
    source = result.provenance
    name = LEARNERS.get(source.algorithm, source.algorithm)
    if source.algorithm == "median":
        learner = str(source.options.get("algorithm"))
        return f"all pairs more probable than not, by {LEARNERS.get(learner, learner)}"
    if result.n_ascents is None:
        test = source.options.get("test")
        nodes = "" if result.n_nodes is None else f", {result.n_nodes:,} nodes"
        cut = " (interrupted; this is what it had found)" if result.stopped == "interrupted" else ""
        return (f"{name}, {test} test{nodes}" if test else name) + cut
    start = STARTS.get(str(result.start), "the structure given")
    is_better = source.options.get("start") == "best" or result.start == "blankets"
    better = ", the better of two starts" if is_better else ""
    ascents = "1 ascent" if result.n_ascents == 1 else f"{result.n_ascents:,} ascents"
    return f"{name} from {start}{better}, {ascents}"


def how_ended(result: SearchResult) -> str:
    """Say why the search for a result ended."""
    ending = ENDINGS.get(result.stopped, result.stopped)
    if result.bound is None:
        return ending
    if result.is_complete:
        return "no run has a higher one"
    return f"{ending}, and no run has one above {result.bound:.3f}"


def how_sure(result: SearchResult) -> str:
    """Say how many pairs are present, absent and undecided; nothing if that was not worked out."""
    sure = result.confidence
    if sure is None:
        return ""
    counts, told = sure.counts, sure.diagnostics
    pairs = "pair" if counts["present"] == 1 else "pairs"
    words = (
        f"{counts['present']:,} {pairs} present, {counts['undecided']:,} undecided, "
        f"{counts['absent']:,} absent ({METHODS[sure.method]})"
    )
    if told.get("stopped") in ("max_seconds", "interrupted"):
        words += "; cut short"
    n_not_mixed = told.get("n_not_mixed") or 0
    if n_not_mixed:
        more = " (--confidence posterior makes more steps)" if told.get("is_quick") else ""
        words += f"; about {n_not_mixed:,} of the undecided the chains disagree{more}"
    return words


def why_unsure(result: SearchResult) -> str:
    """Say that the recommended learner's probabilities were left out, and how to have them."""
    if result.provenance.algorithm != "ibmap" or result.graph.n_variables < 2:
        return ""
    return "not worked out; --confidence posterior gives the probability of each edge"


def how_reliable(result: SearchResult) -> str:
    """Say whether the probabilities came true on simulated tables; nothing if that was not asked for."""
    told = None if result.confidence is None else result.confidence.reliability
    if told is None:
        return ""
    cut = "" if told.stopped == "finished" else "; cut short"
    if told.n_tables == 0:
        return f"not known, no simulated table was finished{cut}"
    sure = f"{100 * told.true_share:.0f} % of {told.n_sure:,} edges claimed at 0.95 and more were true"
    return (
        f"on {told.n_tables:,} simulated tables like this one claims were off by {told.error:.3f} on average "
        f"({told.error_by_chance:.3f} by chance alone); {sure if told.n_sure else 'none claimed 0.95'}{cut}"
    )


def what_verdicts_mean(result: SearchResult) -> str:
    """Say once from where on a pair is called present or absent."""
    sure = result.confidence
    if sure is None:
        return ""
    what = "is found" if sure.kind == "frequency" else "has a probability of"
    often = " of the fits" if sure.kind == "frequency" else ""
    return (
        f"Present: the edge {what} at least 0.91{often}, odds of ten to one. Absent: at most 0.09. "
        "Undecided: in between, or the chains over structures disagree."
    )


def why_no_evidence(result: SearchResult) -> str:
    """Say why nothing is known about single edges of a result."""
    test = result.provenance.options.get("test", "bayesian")
    if test in ("chi-square", "g", "argumentative"):
        return f"How much each edge matters is not known: it takes a test with probabilities, not {test}."
    if not result.is_complete:
        return "How much each edge matters is not known: the search was stopped too early."
    return "How much each edge matters was not computed: with so many variables it takes long."


def prior_in_words(result: SearchResult) -> str:
    """Say how many pairs were expected to be linked; nothing for the paper's learners."""
    prior = result.provenance.options.get("prior")
    if result.provenance.algorithm != "ibmap" or not isinstance(prior, float):
        return ""
    return f"{100 * (1 - prior):.2g} % of all pairs are linked, before the evidence on a pair is seen"


def known_in_words(result: SearchResult) -> str:
    """Say what was known of pairs before the data were seen; nothing if nothing was."""
    options = result.provenance.options
    said = {key: len(options.get(key) or ()) for key in ("require", "forbid", "edge_prior")}
    words = [("require", "edge", "required"), ("forbid", "pair", "forbidden")]
    parts = [f"{said[key]:,} {noun}{'s' * (said[key] != 1)} {verb}" for key, noun, verb in words if said[key]]
    if said["edge_prior"]:
        n_pairs = said["edge_prior"]
        parts.append(f"a prior probability given for {n_pairs:,} pair{'s' * (n_pairs != 1)}")
    return ", ".join(parts)
