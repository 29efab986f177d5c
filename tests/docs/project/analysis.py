"""A program of somebody who uses ibmap and checks types strictly (``make lint``)."""

from pathlib import Path

import ibmap
from ibmap.report import write_report


def strongest(learner: ibmap.IBMAP, probability: float) -> list[tuple[str, str]]:
    """Give the pairs at least this probable."""
    confidence: ibmap.Confidence = learner.confidence()
    graph: ibmap.MarkovGraph = learner.result_.graph
    return [
        (graph.names[i], graph.names[j])
        for i, j in graph.edges
        if confidence.edge_probabilities[i, j] >= probability
    ]


def main() -> None:
    """Learn the survey, ask it, write the page."""
    learner = ibmap.IBMAP(max_seconds=60).fit(ibmap.datasets.load_survey())
    result: ibmap.SearchResult = learner.result_
    score: float | None = result.score
    print(strongest(learner, 0.9), score, learner.graph_.number_of_edges())
    model: ibmap.MarkovNetwork = learner.fit_parameters()
    print(model.marginals("cough", given={"smoker": "yes"}))
    write_report(result, Path("page.html"))
    network = ibmap.simulate.random_network(12, 2, random_state=1)
    table: ibmap.EncodedTable = ibmap.encode(network.sample(200, random_state=2))
    print(table.n_samples, ibmap.ib_score(table, network.graph))
