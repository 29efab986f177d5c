"""Run the notebooks of the gallery again and keep their outputs.

``python scripts/run_gallery.py [NAME ...]`` needs nbclient and ipykernel. The votes notebook reads the file
that IBMAP_VOTES names.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

GALLERY = Path(__file__).parent.parent / "docs" / "gallery"


def run(path: Path) -> None:
    """Execute one notebook in place, without times and other marks of this run."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        cell.metadata.pop("trusted", None)
        for output in cell.get("outputs", []):  # a picture needs no words for it
            if "image/png" in output.get("data", {}):
                output["data"].pop("text/plain", None)
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(path.stem for path in GALLERY.glob("*.ipynb")):
        run(GALLERY / f"{name}.ipynb")
        print(f"ran {name}")
