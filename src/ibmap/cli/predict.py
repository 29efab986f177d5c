"""``ibmap predict``: one column of a table predicted from the others by a model."""

from ibmap.cli.console import warnings_as_messages
from ibmap.cli.flags import flag
from ibmap.cli.options import TABLE, TextFile
from ibmap.cli.progress import Waiting
from ibmap.cli.tables import MODEL, PATH, UNSEEN, Unseen, check_table_output, read_model, write_answer


def predict(
    model: str = MODEL,
    table: str = TABLE,
    column: str = flag(..., "What is predicted.", "VARIABLE"),
    path: str = PATH,
    unseen: Unseen = UNSEEN,
    *,
    text: TextFile,
) -> None:
    """Predict one column of each row of a TABLE from the others, by a MODEL.

    The most probable state, then the probability of each state.
    """
    import polars as pl

    from ibmap.data.files import read_table

    check_table_output(path)
    with warnings_as_messages(), Waiting("predicting"):
        network = read_model(model)
        shares = network.predict_proba(read_table(table, **text.text), column, unseen=unseen)
    labels = network.states[network.variables.index(column)]
    best = pl.Series(column, [str(labels[k]) for k in shares.argmax(axis=1).tolist()], pl.String)
    each = [pl.Series(f"P({column}={label})", shares[:, k]) for k, label in enumerate(labels)]
    write_answer(pl.DataFrame([best, *each]), path)
