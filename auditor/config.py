"""Reads `[tool.api-audit]` from the nearest pyproject.toml: typed, unknown keys refused with the nearest known one."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from auditor.errors import ConfigError
from auditor.suggest import did_you_mean

OneOrMany: TypeAlias = str | list[str]


class Ignore(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """One `[[tool.api-audit.ignore]]`: findings of a rule, or on a symbol, that the project accepts, and why."""

    reason: str
    rule: str | None = None
    """Rule id; `*` matches any part of it."""
    symbol: str | None = None
    """Dotted path of the provider's symbol; a name matches everything below it, `*` any part."""
    path: str | None = None
    """Glob over the consumer's files."""
    until: str | None = None
    """A requirement such as `vllm>=0.17`: audits against a matching release show the finding again."""

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError("an ignore needs a `reason`")
        if self.rule is None and self.symbol is None and self.path is None:
            raise ValueError("an ignore needs a `rule`, a `symbol` or a `path`")


class Config(msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """The settings a project may keep; each command-line flag of the same name overrides one."""

    against: OneOrMany = []
    from_: OneOrMany = msgspec.field(name="from", default_factory=list)
    exclude: list[str] = []
    rule_packs: list[str] = []
    select: list[str] = []
    ignore: list[str | Ignore] = []
    per_file_ignores: dict[str, list[str]] = {}
    baseline: str | None = None
    patch_dir: str | None = None
    patches: bool | None = None
    output_format: str | None = None
    color: Literal["auto", "always", "never"] | None = None
    index_url: str | None = None
    cache_dir: str | None = None
    offline: bool | None = None
    strict: bool | None = None
    exit_zero: bool | None = None
    error_on_warning: bool | None = None

    def ignored_rules(self) -> list[str]:
        """The plain rule ids in `ignore`."""
        return [entry for entry in self.ignore if isinstance(entry, str)]

    def ignores(self) -> list[Ignore]:
        """The reasoned entries in `ignore`."""
        return [entry for entry in self.ignore if isinstance(entry, Ignore)]


class Located(msgspec.Struct, frozen=True):
    """A configuration and the file it came from; relative paths in it start at that file's folder."""

    config: Config
    file: Path | None = None

    def resolve(self, path: str) -> str:
        """`path` as seen from where the file stands."""
        return str(self.file.parent / path) if self.file else path


def load(file: Path) -> Located:
    """The `[tool.api-audit]` table of `file`; a missing table is an empty one."""
    table = _table(file)
    if table is None:
        raise ConfigError("the file has no [tool.api-audit] table", where=str(file))
    return _convert(table, file)


def find(start: Path) -> Located:
    """The configuration that governs `start`: that of the nearest pyproject.toml with a table for this tool."""
    folder = start.resolve()
    for candidate in (folder, *folder.parents):
        file = candidate / "pyproject.toml"
        if file.is_file():
            table = _table(file)
            if table is not None:
                return _convert(table, file)
    return Located(Config())


def _table(file: Path) -> dict[str, Any] | None:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        document = tomllib.loads(file.read_bytes().decode())
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=str(file)) from error
    except ValueError as error:
        raise ConfigError(f"is not valid TOML: {error}", where=str(file)) from error
    table = document.get("tool", {})
    table = table.get("api-audit") if isinstance(table, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError("`tool.api-audit` must be a table", where=str(file))
    return table


def _convert(table: dict[str, Any], file: Path) -> Located:
    _refuse_unknown(table, Config, "tool.api-audit", file)
    entries = table.get("ignore")
    if isinstance(entries, list):
        for number, entry in enumerate(entries, 1):
            if isinstance(entry, dict):
                _refuse_unknown(entry, Ignore, f"tool.api-audit.ignore, entry {number}", file)
    try:
        return Located(msgspec.convert(table, Config), file)
    except msgspec.ValidationError as error:
        raise ConfigError(f"[tool.api-audit]: {error}", where=str(file)) from error


def _refuse_unknown(table: Iterable[str], kind: type[msgspec.Struct], place: str, file: Path) -> None:
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    for key in table:
        if key not in known:
            hint = did_you_mean(key, known) or f"Known keys: {', '.join(known)}"
            raise ConfigError(f"unknown key `{key}` in [{place}]", where=str(file), hint=hint)


def matches(pattern: str, name: str) -> bool:
    """Whether a rule id, symbol or path fits `pattern`, in which `*` stands for any characters."""
    return fnmatchcase(name, pattern)
