"""The options that several commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from auditor.suggest import did_you_mean

Command = TypeVar("Command", bound=Callable[..., Any])

FOLDER = click.Path(file_okay=False, path_type=Path)


_SHARED = {
    "Where releases come from": ("index_url", "cache_dir", "offline"),
    "Settings": ("config", "isolated", "show_settings"),
    "Terminal": ("color", "quiet", "verbose", "help"),
}


class Sectioned(click.Command):
    """A command whose help groups the options by what they are about; those in no section come first.

    Args:
        sections: Title -> names of the parameters in it; the options that commands share have theirs already.
    """

    def __init__(self, *args: Any, sections: Mapping[str, Sequence[str]] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sections = {**(sections or {}), **_SHARED}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        titles = {name: title for title, names in self.sections.items() for name in names}
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Options", *self.sections)}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and record[1]:  # what is positional stands in the usage line
                rows[titles.get(str(parameter.name), "Options")].append(record)
        for title, records in rows.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class Named(click.ParamType[str]):
    """One of a few names; a typo is answered with the nearest."""

    name = "name"

    def __init__(self, names: Callable[[], tuple[str, ...]]) -> None:
        self._names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        names = self._names()
        if value not in names:
            hint = did_you_mean(str(value), names) or f"Choose from {', '.join(names)}."
            self.fail(f"`{value}` is not known. {hint}", param, ctx)
        return str(value)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002 - click's signature
        return f"[{'|'.join(self._names())}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:  # noqa: ARG002
        from click.shell_completion import CompletionItem  # only a shell asks for it

        return [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]


def terminal(command: Command) -> Command:
    """`--color`, `-q` and `-v`."""
    for option in (
        click.option("-v", "--verbose", count=True, help="Show more; -vv adds tracebacks to errors."),
        click.option("-q", "--quiet", count=True, help="No progress and no summary; -qq no hints either."),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Colours; NO_COLOR and FORCE_COLOR are honoured.",
        ),
    ):
        command = option(command)
    return command


def sources(command: Command) -> Command:
    """Where releases come from: `--index-url`, `--cache-dir`, `--offline`."""
    for option in (
        click.option("--offline", is_flag=True, help="Use only what the cache holds."),
        click.option(
            "--cache-dir", type=FOLDER, metavar="DIR", help="Where read releases are kept. [default: the user's cache]"
        ),
        click.option("--index-url", metavar="URL", help="Package index. [default: as pip is configured]"),
    ):
        command = option(command)
    return command


def configuration(command: Command) -> Command:
    """`--config` and `--isolated`, which `Configured` commands read before everything else."""
    for option in (
        click.option("--isolated", is_flag=True, expose_value=False, help="Ignore every pyproject.toml."),
        click.option(
            "--config",
            type=click.Path(exists=True, dir_okay=False),
            metavar="FILE",
            expose_value=False,
            help="Use this pyproject.toml instead of the nearest.",
        ),
    ):
        command = option(command)
    return command
