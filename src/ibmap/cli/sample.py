"""``ibmap sample``: new rows from a model."""

from ibmap.cli.console import warnings_as_messages
from ibmap.cli.flags import flag
from ibmap.cli.progress import Waiting
from ibmap.cli.tables import MODEL, PATH, check_table_output, read_model, write_answer


def sample(
    model: str = MODEL,
    rows: int = flag(..., "Number of rows.", "N", min=1),
    seed: int | None = flag(None, "Seed.", "S", min=0),
    path: str = PATH,
) -> None:
    """Draw new rows from a MODEL."""
    check_table_output(path)
    with warnings_as_messages(), Waiting("sampling"):
        frame = read_model(model).sample(rows, random_state=seed)
    write_answer(frame, path)
