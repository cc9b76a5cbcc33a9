"""All rules there are, for people to read: the built-in checks, and the rule packs with what they say of themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from auditor.config import Config
from auditor.errors import RuleError
from auditor.rulepack import built_in_rules, read_fields, read_rule, rule_files
from auditor.suggest import did_you_mean

PACKAGE = Path(__file__).parent.parent


class Entry(msgspec.Struct, frozen=True):
    """One rule: its id, what it is about in a sentence, where it is written, and its fields where it is data."""

    id: str
    summary: str
    origin: str
    fields: dict[str, Any] = {}


def rulebook(packs: Iterable[Path] = ()) -> dict[str, Entry]:
    """The rules by id: checks first, then what the built-in packs and the folders `packs` say, which adds to them."""
    entries = {entry.id: entry for entry in _checks(PACKAGE / "checks")}
    for pack in (built_in_rules(), *packs):
        for file in rule_files(pack):
            entry = _rule(file, pack)
            known = entries.get(entry.id)
            if known is not None:
                entry = msgspec.structs.replace(entry, summary=entry.summary or known.summary)
            entries[entry.id] = entry
    return dict(sorted(entries.items()))


def refuse_unknown(given: Mapping[str, Any], config: Config) -> None:
    """Fail for a rule that flags or settings mistype, which would do nothing silently; `*` may match nothing."""
    asked = [
        *given["select"],
        *given["ignore"],
        *(rule for rules in config.per_file_ignores.values() for rule in rules),
        *(entry.rule for entry in config.ignores() if entry.rule),
    ]
    for rule in asked:
        if "*" not in rule and ":" not in rule:  # `ty:code` is a second opinion's
            find(rule, given["rules"])


def find(rule: str, packs: Iterable[Path] = ()) -> Entry:
    """The rule called `rule`."""
    entries = rulebook(packs)
    if rule not in entries:
        raise RuleError(f"there is no rule `{rule}`", hint=did_you_mean(rule, entries) or "List them: api-audit rules")
    return entries[rule]


def _checks(folder: Path) -> Iterable[Entry]:
    """The checks, told by the docstrings of their modules; read, not imported."""
    for file in sorted(folder.glob("[!_]*.py")):
        summary = ast.get_docstring(ast.parse(file.read_bytes())) or ""
        yield Entry(file.stem.replace("_", "-"), summary, f"checks/{file.name}")


def _rule(file: Path, pack: Path) -> Entry:
    """What a rule file says; one about a check adds to it and is free in form, a migration is read strictly."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise RuleError(f"the rule cannot be read: {error.strerror}", where=str(file)) from error
    fields = read_fields(file, data)
    if file.parent.name != "core":
        read_rule(file, data)
    summary = str(fields.get("summary") or fields.get("title") or fields.get("message") or "")
    return Entry(file.stem, summary, file.relative_to(pack).as_posix(), fields)
