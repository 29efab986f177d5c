"""Directives that run commands when the site is built, so that what a page shows is what a user sees.

``{command}`` runs a line in the folder of its page and shows what it prints; ``{help}`` shows the help of every
command of the program. A command that fails stops the build.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive, directives

WIDTH = 86  # of a page that is not scrolled


def run(line: str, folder: Path) -> tuple[int, str]:
    """Run a command line of ibmap; give its exit code and all it printed, data and talk."""
    words = shlex.split(line)
    program = [sys.executable, "-m", "ibmap"] if words[0] == "ibmap" else words[:1]
    environment = {**os.environ, "COLUMNS": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        [*program, *words[1:]], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def shown(text: str, first: int | None) -> str:
    """Cut a long output, and say so."""
    lines = text.rstrip().splitlines()
    return "\n".join(lines if first is None or len(lines) <= first else [*lines[:first], "..."])


class Command(Directive):
    """Run a command, show it and what it prints."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {  # noqa: RUF012
        "first": directives.nonnegative_int,  # lines shown
        "fails": directives.flag,  # the command is there to show an error
        "hidden": directives.flag,  # run it, show nothing
        "with": directives.unchanged,  # a file of the documentation that the command needs
    }

    def run(self) -> list[nodes.Node]:
        """Run the line in the folder of the page."""
        environment = self.state.document.settings.env
        folders = environment.__dict__.setdefault("_command_folders", {})
        folder = folders.setdefault(environment.docname, tempfile.TemporaryDirectory())
        if "with" in self.options:
            shutil.copy(Path(environment.srcdir) / self.options["with"], folder.name)
        line = self.arguments[0]
        code, text = run(line, Path(folder.name))
        if (code != 0) != ("fails" in self.options):
            raise self.error(f"the command {line!r} ended with {code}: {text}")
        if "hidden" in self.options:
            return []
        whole = f"$ {line}\n\n{shown(text, self.options.get('first'))}".rstrip()
        return [nodes.literal_block(whole, whole, language="console")]


class Help(Directive):
    """Show the help of every command, each under a heading of its own."""

    def run(self) -> list[nodes.Node]:
        """Ask the program itself."""
        import typer

        from ibmap.cli.app import app

        found: list[nodes.Node] = []
        with tempfile.TemporaryDirectory() as folder:
            for name in typer.main.get_command(app).commands:  # type: ignore[attr-defined]
                code, text = run(f"ibmap {name} --help", Path(folder))
                if code:
                    raise self.error(f"ibmap {name} --help ended with {code}: {text}")
                section = nodes.section(ids=[f"ibmap-{name}"], names=[f"ibmap {name}"])
                section += nodes.title("", "", nodes.literal("", f"ibmap {name}"))
                section += nodes.literal_block(text.strip(), text.strip(), language="text")
                found.append(section)
        return found


def forget_folders(app, environment) -> None:
    """Remove the folders in which commands ran; they cannot be kept with the rest of the build."""
    for folder in environment.__dict__.pop("_command_folders", {}).values():
        folder.cleanup()


def setup(app) -> dict[str, bool]:
    """Add the directives to the build."""
    app.add_directive("command", Command)
    app.add_directive("help", Help)
    app.connect("env-updated", forget_folders)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
