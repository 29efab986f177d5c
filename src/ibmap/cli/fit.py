"""``ibmap fit``: the parameters of a network from a table."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from ibmap.cli.console import print_facts, print_json, say, warnings_as_messages
from ibmap.cli.flags import flag
from ibmap.cli.options import QUIET, TABLE, ReadingAsLearned, check_place
from ibmap.cli.progress import Waiting
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    from ibmap.model import MarkovNetwork


def fit(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    table: str = TABLE,
    network: str = flag(..., "The structure: .json, .graphml or .csv.", "FILE", "--network", "-n"),
    model: str = flag(..., "Where the model goes: .json or .uai.", "FILE", "--output", "-o"),
    prior_strength: str = flag(
        "1",
        "Data points spread evenly over all configurations; 0 is plain maximum likelihood; "
        "validate chooses by held-out rows.",
        "S|validate",
    ),
    potentials: Literal["auto", "cliques", "pairwise"] = flag(
        "auto", "One potential a maximal clique, or one an edge."
    ),
    method: Literal["auto", "closed-form", "proportional-fitting", "pseudo-likelihood"] = flag(
        "auto", "Maximum likelihood, or pseudo-likelihood where that is too hard."
    ),
    as_json: bool = flag(False, "Print how it was fitted as JSON.", None, "--json"),
    quiet: bool = QUIET,
    *,
    reading: ReadingAsLearned,
) -> None:
    """Estimate the parameters of a network from a TABLE: a complete model."""
    from ibmap.model import MarkovNetwork
    from ibmap.result.formats import graph_of, read_network

    strength = _read_strength(prior_strength)
    ending = check_place(model, "model", ".json", ".uai")
    structure = read_network(network)
    with warnings_as_messages(quiet), Waiting("fitting", quiet):
        data = reading.read(table, structure)
        fitted = MarkovNetwork.fit(
            data,
            graph_of(structure),
            prior_strength=strength,
            potentials=potentials,
            method=method,
            missing="use",
        )
    write = fitted.save_uai if ending == ".uai" else fitted.save
    write(model)
    if as_json:
        print_json(json.loads(json.dumps(asdict(fitted.report) if fitted.report else None)))
    else:
        _print(fitted)
    if not quiet:
        say(f"written: {model}")


def _read_strength(text: str) -> float | str:
    if text == "validate":
        return text
    try:
        return float(text)
    except ValueError:
        msg = f"--prior-strength {text}: it must be a number of at least 0, or validate"
        raise InvalidOptionError(msg) from None


def _print(model: "MarkovNetwork") -> None:
    """Tell how the model was fitted."""
    report: Any = model.report
    kinds = {"cliques": "over maximal cliques", "pairwise": "over edges"}
    facts = [
        ("Variables", f"{model.graph.n_variables}, joined by {model.graph.n_edges} edges"),
        ("Parameters", f"{report.n_parameters}, potentials {kinds[report.potentials]}"),
        ("Method", report.method + ("" if report.converged else ", stopped before the optimum")),
        ("Prior strength", f"{report.prior_strength:g}" + (", by held-out rows" if report.validated else "")),
        ("Rows", f"{report.n_samples:,}"),
    ]
    print_facts(facts)
