"""``ibmap query``: the distribution of variables of a model, given others."""

from typing import TYPE_CHECKING, Any, Literal

from ibmap.cli.console import output, print_json, printable, say, warnings_as_messages
from ibmap.cli.flags import flag
from ibmap.cli.progress import Waiting
from ibmap.cli.tables import MODEL, read_given, read_model

if TYPE_CHECKING:
    from ibmap.model import Posterior


def query(
    model: str = MODEL,
    of: list[str] = flag(..., "What is asked about. Repeatable: the joint distribution.", "VARIABLE"),
    given: list[str] | None = flag(None, "What is known. Repeatable.", "VARIABLE=STATE"),
    as_json: bool = flag(False, "Print the answer as JSON.", None, "--json"),
    method: Literal["auto", "exact", "pyagrum", "gibbs"] = flag(
        "auto", "Exact, or an estimate by Gibbs sampling where that is too hard."
    ),
    seed: int = flag(0, "Seed of an estimate.", "S", min=0),
    samples: int = flag(8000, "Draws of an estimate.", "N", min=1),
) -> None:
    """Ask a MODEL for the probability of each state of a variable, given others."""
    with warnings_as_messages(), Waiting("asking"):
        network = read_model(model)
        known = read_given(network, given or [])
        answer = network.posterior(of, known, method=method, random_state=seed, n_samples=samples)
    if as_json:
        print_json(_as_dict(answer, known))
        return
    _print(answer)
    if answer.standard_errors is not None:
        say(f"estimated from {samples} draws of Gibbs chains; split R-hat {answer.r_hat:.3f}")


def _as_dict(answer: "Posterior", known: dict[str, str]) -> dict[str, Any]:
    """Give the answer as plain lists and dicts."""
    errors = answer.standard_errors
    return {
        "of": list(answer.names),
        "given": known,
        "states": [list(key) if len(answer.names) > 1 else [key] for key in answer.keys],
        "probabilities": answer.probabilities.ravel().tolist(),
        "standard_errors": None if errors is None else errors.ravel().tolist(),
        "method": answer.method,
        "r_hat": answer.r_hat,
    }


def _print(answer: "Posterior") -> None:
    """Write a table of states and probabilities."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    figures = {"probability": answer.probabilities, "standard error": answer.standard_errors}
    table = Table(*map(printable, answer.names), box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    columns = {name: values.ravel() for name, values in figures.items() if values is not None}
    for name in columns:
        table.add_column(name, justify="right")
    for k, key in enumerate(answer.keys):
        labels = key if len(answer.names) > 1 else (key,)
        cells = [printable("missing" if label is None else str(label)) for label in labels]
        table.add_row(*cells, *(f"{values[k]:.6f}" for values in columns.values()))
    output().print(table)
