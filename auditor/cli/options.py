"""The options that several commands share, each defined once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auditor.suggest import did_you_mean

if TYPE_CHECKING:
    from auditor.options import Options

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


def together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """One decorator for options that belong together, which stand in the help as they are given here."""

    def decorated(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def told_as(names: Callable[[], tuple[str, ...]], what: str = "report") -> Callable[[Command], Command]:
    """`--output-format`, one of `names`, and `-o`."""
    return together(
        click.option(
            "--output-format", type=Named(names), default="full", show_default=True, help=f"How the {what} is told."
        ),
        click.option(
            "-o",
            "--output-file",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Write it there.",
        ),
    )


written_for = click.option(
    "--from",
    "from_",
    multiple=True,
    metavar="SPEC",
    envvar="API_AUDIT_FROM",
    help="Release the consumer was written for. [default: what its metadata pins]",
)
exclude = click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out files of the consumer.")
which_rules = together(
    click.option("--rules", multiple=True, type=FOLDER, metavar="DIR", help="A folder with further rules."),
    click.option("--select", multiple=True, metavar="RULE", help="Only these rules; `*` matches any part of a name."),
    click.option("--ignore", multiple=True, metavar="RULE", help="All but these rules."),
)
patches = together(
    click.option("--diff", is_flag=True, help="Print the patches instead of a report; writes no files."),
    click.option("--no-patches", is_flag=True, help="Write no patch files."),
    click.option(
        "--patch-dir",
        type=FOLDER,
        default=Path("generated_patches"),
        show_default=True,
        metavar="DIR",
        help="Where patch folders are made.",
    ),
)
exit_code = together(
    click.option("-e", "--exit-zero", is_flag=True, help="Exit 0 in spite of findings (never in spite of failures)."),
    click.option("--error-on-warning", is_flag=True, help="Report warnings as errors."),
)
sources = together(
    click.option("--index-url", metavar="URL", help="Package index. [default: as pip is configured]"),
    click.option(
        "--cache-dir", type=FOLDER, metavar="DIR", help="Where read releases are kept. [default: the user's cache]"
    ),
    click.option("--offline", is_flag=True, help="Use only what the cache holds."),
)
configuration = together(  # which `Configured` commands read before everything else
    click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
        expose_value=False,
        help="Use this pyproject.toml instead of the nearest.",
    ),
    click.option("--isolated", is_flag=True, expose_value=False, help="Ignore every pyproject.toml."),
)
terminal = together(
    click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colours; NO_COLOR and FORCE_COLOR are honoured.",
    ),
    click.option("-q", "--quiet", count=True, help="No progress and no summary; -qq no hints either."),
    click.option("-v", "--verbose", count=True, help="Show more; -vv adds tracebacks to errors."),
)


def asked(given: Mapping[str, Any], **more: Any) -> Options:
    """The arguments of an audit: what flags of the same names say, and `more`, which counts before them."""
    from auditor.options import Options

    named = {name: given[name] for name in Options.__struct_fields__ if name in given}
    return Options(**{**named, "consumers": given.get("consumers") or (".",), **more})
