"""How options become flags: written out in a command, shared by commands, or made from options objects."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import field, fields, is_dataclass
from inspect import Parameter
from typing import Any, Literal

import typer

from ibmap.cli.console import INTERRUPTED, say
from ibmap.learners.options import OPTIONS, READING, TEST_OPTIONS, TestOptions
from ibmap.options import Check, declared, defaults

# What is given in another way on the command line: its type, what follows the flag, and the help text.
GIVEN_AS: dict[str, tuple[Any, str | None, str]] = {
    "start": (
        str | None,
        "gsmn|...|empty|best|FILE",
        "Begin with the structure of gsmn, gsmn-star, gsimn, iamb or hiton, no edges, or a network file; hc: "
        "best, the better of gsmn and no edges.",
    ),
    "test": (
        Literal[TestOptions.tests] | None,
        None,
        "Test of independence; hc and ts take those that give probabilities.",
    ),
    "max_memory": (
        str | None,
        "SIZE",
        "Refuse a table that would take more memory (2GB) by its shape; ts: stop when the search does.",
    ),
    "ordered": (
        list[str] | None,
        "COLUMN",
        "A column whose states are in order; all or none of them. Repeatable.",
    ),
    "require": (list[str] | None, "A--B", "An edge that must be there. Repeatable."),
    "forbid": (list[str] | None, "A--B", "An edge that must not be there. Repeatable."),
    "edge_prior": (
        str | None,
        "FILE",
        "Prior probabilities of edges: CSV lines of two columns and a probability, or a square matrix under "
        "its names; an empty cell says nothing.",
    ),
    "knowledge": (
        str | None,
        "FILE",
        "All of these as JSON or TOML: require, forbid, forbid_within (lists of columns), forbid_between "
        "(pairs of lists), edge_prior.",
    ),
}


def flag(
    default: Any, text: str, metavar: str | None = None, *names: str, panel: str | None = None, **more: Any
) -> Any:
    """Make an option of a command; ``...`` is the default of one that must be given."""
    return typer.Option(default, *names, metavar=metavar, help=text, rich_help_panel=panel, **more)


def argument(metavar: str, text: str, default: Any = ...) -> Any:
    """Make an argument of a command."""
    return typer.Argument(default, metavar=metavar, help=text, show_default=False)


def member(default: Any, *said: Any, panel: str = READING, **more: Any) -> Any:
    """Make an option in a group of options, a dataclass."""
    return field(default=default, metadata={"flag": flag(default, *said, panel=panel, **more)})


def as_command(function: Callable[..., None], generated: Iterable[Parameter] = ()) -> Callable[..., None]:
    """Let a function be a command.

    A parameter that is a dataclass becomes a flag for each of its fields; ``**`` takes the `generated` ones,
    which come before keyword-only ones. Ctrl-C ends the process with 130.
    """
    flat: list[Parameter] = []
    groups: dict[str, list[str]] = {}
    own = inspect.signature(function, eval_str=True).parameters
    for each in sorted(own.values(), key=lambda each: each.kind is Parameter.KEYWORD_ONLY):
        if is_dataclass(each.annotation):
            groups[each.name] = [one.name for one in fields(each.annotation)]
            flat += [_parameter(one.name, one.type, one.metadata["flag"]) for one in fields(each.annotation)]
        else:
            flat += generated if each.kind is Parameter.VAR_KEYWORD else [each]

    @functools.wraps(function)
    def command(**given: Any) -> None:
        for name, members in groups.items():
            given[name] = own[name].annotation(**{one: given.pop(one) for one in members})
        try:
            function(**given)
        except KeyboardInterrupt:
            say("interrupted; a file is written whole or not at all")
            raise SystemExit(INTERRUPTED) from None

    parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in flat]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _parameter(name: str, kind: Any, made: Any) -> Parameter:
    """Make a parameter as typer reads it."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=made, annotation=kind)


def learner_flags() -> list[Parameter]:
    """Make a flag for each option of any learner; one that is not given is None."""
    owners: dict[str, list[str]] = {}
    for learner, options in OPTIONS.items():
        for name, each in declared(options).items():
            if each.panel != READING:
                owners.setdefault(name, []).append(learner)
    names = sorted(owners, key=lambda name: name not in ("start", "test"))  # first of their panels
    return [_learner_flag(name, owners[name]) for name in names]


def _learner_flag(name: str, learners: list[str]) -> Parameter:
    """Make the flag of one option, with the text of the first learner that has it."""
    first = declared(OPTIONS[learners[0]])[name]
    kind, metavar, text = GIVEN_AS.get(name) or (_kind(first.check), first.metavar or None, first.help)
    tests = [test for test in TEST_OPTIONS if name in TEST_OPTIONS[test] and test != "averaged"]
    users = learners if len(learners) < 3 else tests
    if 0 < len(users) < 3:
        only = [*(["ibmap"] if "ibmap" in learners else []), *(each for each in users if each != "ibmap")]
        text = f"{', '.join(only)}: {text[0].lower()}{text[1:]}"
    text += _default(name, learners)
    return _parameter(name, kind, flag(None, text, metavar, panel=first.panel, min=first.check.low))


def _kind(check: Check) -> Any:
    """Give the type that the command line reads."""
    return (Literal[check.words] if check.words else {"int": int, "float": float}.get(check.kind, str)) | None


def _default(name: str, learners: list[str]) -> str:
    """Say what is taken if the option is not given: what most learners take first."""
    shown: dict[str, list[str]] = {}
    for learner in learners:
        default = defaults(OPTIONS[learner])[name]
        told = declared(OPTIONS[learner])[name].none if default is None else default
        told = f"{told:g}" if isinstance(told, float) else told
        if told not in (None, "", False):
            shown.setdefault(str(told), []).append(learner)
    texts = sorted(shown, key=lambda text: -len(shown[text]))
    others = [f"{', '.join(shown[text])}: {text}" for text in texts[1:]]
    return f" (default: {'; '.join([texts[0], *others])})" if texts else ""
