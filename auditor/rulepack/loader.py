"""Reads folders of rules: strictly, provider by provider as they are needed, and from the store where it knows them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import msgspec

from auditor.errors import RuleError
from auditor.rulepack.schema import Rule

_VERSION = "2"
"""Raised whenever the stored form of a rule changes."""


class Pack(msgspec.Struct, frozen=True):
    """One rule with where it was read: its id is the file's name, its provider the folder's."""

    id: str
    provider: str
    rule: Rule
    origin: str


class Records(Protocol):
    """What is needed of the store."""

    def get_many(self, kind: str, keys: Iterable[str]) -> dict[str, bytes]: ...
    def put_many(self, kind: str, values: Mapping[str, bytes]) -> None: ...


def built_in_rules() -> Path:
    """The folder of the rules that come with the program: beside the sources, or inside an installed package."""
    package = Path(__file__).parent.parent
    inside = package / "_rules"
    return inside if inside.is_dir() else package.parent / "rules"


def load_packs(folders: Sequence[Path], wanted: Callable[[str], bool], store: Records | None = None) -> list[Pack]:
    """The rules of all packs whose provider is wanted, the built-in ones first; a later rule replaces one of its id.

    Args:
        folders: Further folders of rules, each `<provider>/<id>.yaml`.
        wanted: Whether rules about a provider, called by its folder, are of interest.
        store: Keeps rules that were read, by content.

    Raises:
        RuleError: A rule file does not fit, or a folder holds none.
    """
    found: dict[str, Pack] = {}
    for root in (built_in_rules(), *folders):
        for provider, files in _by_provider(root).items():
            if provider != "core" and wanted(provider):
                found.update((pack.id, pack) for pack in _load(provider, files, root, store))
    return list(found.values())


def rule_files(root: Path) -> list[Path]:
    """The rule files below a folder, in order; at least one.

    Raises:
        RuleError: There is no such folder, or no rule in it.
    """
    if not root.is_dir():
        raise RuleError("there is no such folder of rules", where=str(root))
    if not (files := sorted(root.rglob("*.yaml"))):
        raise RuleError("no rule is in this folder", where=str(root), hint="A rule is a file `<provider>/<id>.yaml`")
    return files


def _by_provider(root: Path) -> dict[str, list[Path]]:
    """The rule files by provider: the folder each stands in (the root's own name for those directly inside it)."""
    found: dict[str, list[Path]] = {}
    for file in rule_files(root):
        found.setdefault(file.parent.name, []).append(file)
    return found


def _load(provider: str, files: Sequence[Path], root: Path, store: Records | None) -> list[Pack]:
    contents = {file: _content(file) for file in files}
    digest = sha256(_VERSION.encode())
    for file, data in contents.items():
        digest.update(f"\0{file.relative_to(root).as_posix()}\0{len(data)}\0".encode())
        digest.update(data)
    key = digest.hexdigest()
    stored = store.get_many("rules", [key]).get(key) if store is not None else None
    packs = _decoded(stored)
    if packs is None:
        packs = [Pack(file.stem, provider, read_rule(file, data), str(file)) for file, data in contents.items()]
        if store is not None:
            store.put_many("rules", {key: msgspec.msgpack.encode(packs)})
    return packs


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise RuleError(f"the rule cannot be read: {error.strerror}", where=str(file)) from error


@cache
def _decoder() -> msgspec.msgpack.Decoder[list[Pack]]:
    return msgspec.msgpack.Decoder(list[Pack])


def _decoded(stored: bytes | None) -> list[Pack] | None:
    if stored is None:
        return None
    try:
        return _decoder().decode(stored)
    except (msgspec.DecodeError, ValueError):
        return None


def read_rule(file: Path, data: bytes) -> Rule:
    """One rule out of its YAML.

    Raises:
        RuleError: It does not fit the schema; the message says where inside the file.
    """
    from auditor.rulepack.checking import faults

    where = str(file)
    try:
        rule = msgspec.convert(read_fields(file, data), Rule)
    except msgspec.ValidationError as error:
        raise RuleError(_breadcrumb(str(error)), where=where) from error
    for fault in faults(file.stem, rule):
        raise RuleError(fault, where=where)
    return rule


def read_fields(file: Path, data: bytes) -> dict[str, Any]:
    """The plain data of a rule file.

    Raises:
        RuleError: It is not YAML, or not a mapping.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an anchor that is given twice is no fault, the nearer one counts
            fields = YAML(typ="safe", pure=True).load(data)
    except (YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise RuleError(f"the rule cannot be read: {' '.join(str(error).split())}", where=str(file)) from error
    if not isinstance(fields, dict):
        raise RuleError("a rule is a mapping", where=str(file))
    return {str(key): value for key, value in fields.items()}


def _breadcrumb(message: str) -> str:
    """`Expected `str`, got `int` - at `$.match.call`` -> `match.call: expected `str`, got `int``"""
    match = re.fullmatch(r"(.*?)(?: - at `\$\.?(.*)`)?", message, re.DOTALL)
    assert match is not None
    said, place = match[1], match[2]
    if missing := re.fullmatch(r"Object missing required field `(.*)`", said):
        said = f"`{missing[1]}` is missing"
    elif unknown := re.fullmatch(r"Object contains unknown field `(.*)`", said):
        said = f"unknown key `{unknown[1]}`"
    said = said[:1].lower() + said[1:]
    return f"{place}: {said}" if place else said
