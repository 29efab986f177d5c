"""``ibmap plan``: how many rows it takes, before there are any."""

from ibmap.cli.console import output, print_facts, print_json, warnings_as_messages
from ibmap.cli.flags import flag
from ibmap.cli.progress import Waiting


def plan(
    variables: int = flag(..., "Variables of the network expected.", "N", min=2),
    degree: float = flag(..., "Neighbours of a variable, on average.", "D"),
    log_odds: float = flag(1.0, "Log-odds ratio of every edge: 0.5 is weak, 1 clear, 2 strong.", "E"),
    share: float = flag(0.9, "Of the edges to find; false ones at most the rest of those learned.", "S"),
    networks: int = flag(5, "Networks to draw.", "K", min=1),
    seed: int = flag(0, "Seed of the networks, to repeat them exactly.", "S", min=0),
    as_json: bool = flag(False, "Print the figures as JSON.", None, "--json"),
) -> None:
    """Tell how many rows it takes to find a network, by simulation.

    Random networks of this size are drawn and learned from more and more rows by the recommended learner.
    """
    from ibmap.cli.summary import laid_out
    from ibmap.confidence.planning import rows_needed

    with warnings_as_messages(quiet=True), Waiting("learning simulated tables"):
        found = rows_needed(variables, degree, log_odds, share=share, n_networks=networks, seed=seed)
    steps = list(zip(found.n_samples, found.found, found.false, strict=True))
    if as_json:
        told = [{"rows": rows, "found": right, "false": wrong} for rows, right, wrong in steps]
        print_json({"rows_needed": found.needed, "tried": told})
        return
    rows = [(f"{n:,}", f"{100 * right:.0f} %", f"{100 * wrong:.0f} %") for n, right, wrong in steps]
    title = f"{networks} networks of {variables} variables, {degree:g} neighbours each"
    output().print(laid_out(title, (">Rows", ">Edges found", ">False among those learned"), rows), "")
    needed = f"more than {steps[-1][0]:,}" if found.needed is None else f"about {found.needed:,}"
    goal = f"to find {100 * share:.0f} % of the edges with at most {100 * (1 - share):.0f} % false"
    print_facts([("Rows needed", f"{needed}, {goal}")])
