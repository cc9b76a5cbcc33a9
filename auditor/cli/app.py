"""The `api-audit` program: finds its commands by file name, answers typos, and shares settings between commands."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from auditor import __version__, config
from auditor.cli import commands
from auditor.cli.options import Sectioned
from auditor.suggest import did_you_mean

PROGRAM = "api-audit"
ENVIRONMENT = "API_AUDIT"
SETTINGS = {"help_option_names": ["-h", "--help"], "auto_envvar_prefix": ENVIRONMENT, "max_content_width": 100}


class Program(click.Group):
    """A group whose commands are the modules of `auditor.cli.commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"{commands.__name__}.{cmd_name}").command
        # Without this, click would ask for API_AUDIT_SCAN_OFFLINE: one variable should serve every command.
        command.context_settings.setdefault("auto_envvar_prefix", ENVIRONMENT)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            known = self.list_commands(ctx)
            hint = did_you_mean(name, known) or f"Commands: {', '.join(known)}."
            raise click.UsageError(f"No such command `{name}`. {hint}", ctx)
        return super().resolve_command(ctx, args)


class Configured(Sectioned):
    """A command that takes defaults from `[tool.api-audit]`: flag, then environment, then file, then built-in."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.resilient_parsing:
            given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
            located = _located(given)
            ctx.obj = located
            known = {parameter.name for parameter in self.get_params(ctx)}
            ctx.default_map = {name: value for name, value in _defaults(located).items() if name in known}
        return super().parse_args(ctx, args)


def _located(given: dict[str, Any]) -> config.Located:
    """The configuration that a call asks for, or that lies nearest to its first consumer."""
    if given.get("isolated") is True:
        return config.Located(config.Config())
    if isinstance(named := given.get("config"), str):
        return config.load(Path(named))
    consumers = given.get("consumers")
    first = Path(consumers[0]) if isinstance(consumers, tuple | list) and consumers else Path()
    if first.is_file():
        first = first.parent
    return config.find(first if first.is_dir() else Path())


def _defaults(located: config.Located) -> dict[str, Any]:
    settings = located.config
    values: dict[str, Any] = {
        "against": [_spec(located, spec) for spec in _many(settings.against)],
        "from_": [_spec(located, spec) for spec in _many(settings.from_)],
        "exclude": settings.exclude,
        "rules": [located.resolve(path) for path in settings.rule_packs],
        "select": settings.select,
        "ignore": settings.ignored_rules(),
        "baseline": settings.baseline and located.resolve(settings.baseline),
        "patch_dir": settings.patch_dir and located.resolve(settings.patch_dir),
        "no_patches": None if settings.patches is None else not settings.patches,
        "output_format": settings.output_format,
        "color": settings.color,
        "index_url": settings.index_url,
        "cache_dir": settings.cache_dir and located.resolve(settings.cache_dir),
        "offline": settings.offline,
        "strict": settings.strict,
        "exit_zero": settings.exit_zero,
        "error_on_warning": settings.error_on_warning,
    }
    return {name: value for name, value in values.items() if value not in (None, [])}


def _many(value: config.OneOrMany) -> list[str]:
    return [value] if isinstance(value, str) else value


def _spec(located: config.Located, spec: str) -> str:
    """A package spec from the file; those that are visibly paths start at the file's folder."""
    return located.resolve(spec) if spec.startswith(("./", "../")) else spec


@click.command(
    cls=Program,
    name=PROGRAM,
    context_settings=SETTINGS,
    epilog="Start with: api-audit scan speculators==0.3.0 --against vllm==0.16",
)
@click.version_option(__version__, "-V", "--version", prog_name=PROGRAM)
def program() -> None:
    """Find where code no longer fits the libraries it uses, and write patches for it.

    Published files are read and never run: neither the audited package nor its libraries need to be installed.
    """
