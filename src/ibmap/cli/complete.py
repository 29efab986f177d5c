"""``ibmap complete``: the gaps of a table filled by a model."""

from ibmap.cli.console import warnings_as_messages
from ibmap.cli.options import TABLE, TextFile
from ibmap.cli.progress import Waiting
from ibmap.cli.tables import MODEL, PATH, UNSEEN, Unseen, check_table_output, read_model, write_answer


def complete(
    model: str = MODEL, table: str = TABLE, path: str = PATH, unseen: Unseen = UNSEEN, *, text: TextFile
) -> None:
    """Fill the missing values of each row of a TABLE by their most probable states under a MODEL."""
    from ibmap.data.files import read_table

    check_table_output(path)
    with warnings_as_messages(), Waiting("completing"):
        frame = read_model(model).complete(read_table(table, **text.text), unseen=unseen)
    write_answer(frame, path)
