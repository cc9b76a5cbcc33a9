"""What is fuzzed: for each target, how bytes become its input, and what must hold for every input.

Hypothesis and atheris hand the same bytes to the same functions, so that a crash of either is a file in `crashes/`.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from patches.sample import PATCHES, SET
from patches.test_files import resealed
from test_binding import function, landed, parameters_of
from trust.words import COMPOUND, EXPRESSIONS, NAMES, PATHS, RULE_KEYS, SIMPLE
from worlds import Modules, analysed

from auditor.api import ClassApi
from auditor.binding import CallShape, bind
from auditor.checks import all_file_checks, checks_of
from auditor.errors import AuditError, PatchError, RuleError
from auditor.packages.page import parse_page
from auditor.patches.reader import check_path, parse
from auditor.patches.writer import render
from auditor.provider.signatures import read_module
from auditor.rulepack import read_rule
from auditor.sides import Side
from auditor.world.world import World

CRASHES = Path(__file__).with_name("crashes")
UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What reading a source may raise: the callers make a problem of it."""


class Source:
    """Takes decisions out of bytes; none are left: always the first choice."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0

    def number(self, below: int) -> int:
        """A number from 0."""
        if self.place >= len(self.data) or below < 2:
            return 0
        self.place += 1
        return self.data[self.place - 1] % below

    def pick(self, choices: Sequence[str]) -> str:
        """One of them."""
        return choices[self.number(len(choices))]

    @property
    def is_left(self) -> bool:
        """Whether there are decisions left."""
        return self.place < len(self.data)


def snippet(source: Source) -> str:
    """A module that parses, more often than not, and makes no sense."""
    lines: list[str] = []
    depth = 0
    while source.is_left and len(lines) < 60:
        move = source.number(8)
        depth = max(0, depth - (move % 4 if move > 4 else 0))
        pattern = source.pick(COMPOUND if move < 3 else SIMPLE)
        filled = _filled(pattern, source, 3)
        lines += [f"{'    ' * depth}{line}" for line in filled.split("\n")]
        if pattern.endswith(":"):
            depth += 1
            lines.append(f"{'    ' * depth}{_filled(source.pick(SIMPLE), source, 2)}")
    return "\n".join(lines) + "\n"


def _filled(pattern: str, source: Source, depth: int) -> str:
    pieces = pattern.replace("{{", "\1").replace("}}", "\2").split("{")
    text = pieces[0]
    for piece in pieces[1:]:
        kind, _, rest = piece.partition("}")
        if kind == "n":
            text += source.pick(NAMES)
        elif kind == "p":
            text += source.pick(PATHS)
        else:
            text += _filled(source.pick(EXPRESSIONS), source, depth - 1) if depth else source.pick(NAMES)
        text += rest
    return text.replace("\1", "{").replace("\2", "}")


def _text(data: bytes) -> str:
    """Three inputs of four are a made-up module, the others are taken as they are."""
    return snippet(Source(data[1:])) if data[:1] < b"\xc0" else data[1:].decode("utf-8", "replace")


def signatures(data: bytes) -> None:
    """Any bytes are read into a `ModuleApi`."""
    source = snippet(Source(data[1:])).encode("utf-8", "surrogateescape") if data[:1] < b"\xc0" else data[1:]
    read_module("lib", source, is_package=bool(data[:1] > b"\x60"))


def constructors(data: bytes) -> None:
    """Each class of any module has a constructor, or none that can be told; never an error."""
    modules = _modules(
        {"lib/__init__.py": "from dataclasses import *\nfrom typing import *\nimport attrs\n" + _text(data)}
    )
    world = World([modules])
    for api in modules.apis.values():
        for name, definitions in api.names.items():
            for definition in definitions:
                if isinstance(definition, ClassApi):
                    world.constructor(world.class_ref(definition, "lib", name))


def _modules(sources: dict[str, str]) -> Modules:
    try:
        return Modules(sources)
    except AssertionError:  # it has problems, which is a good answer
        return Modules({"lib/__init__.py": ""})


def walker(data: bytes) -> None:
    """Any consumer against any two releases: every check of every use ends in findings."""
    source = Source(data[1:])
    parts = [data[index::3] for index in range(3)] if source.is_left else [b"", b"", b""]
    consumer = "import lib\nfrom lib import *\n" + _text(parts[0])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            analysis = analysed(consumer)
    except UNPARSABLE:
        return
    app = _modules({"app.py": consumer})
    sides = [Side(World([app, _modules({"lib/__init__.py": _text(part)})]), {}, {"lib": "lib"}) for part in parts[1:]]
    old, new = sides
    for use in analysis.uses:
        found = [finding for check in checks_of(use.kind) for finding in check(use, old, new)]
        assert not found or new.concerns(use)
    for file_check in all_file_checks():
        list(file_check(analysis, old, new))


def binding(data: bytes) -> None:
    """What `bind` says of a call is what Python does with it."""
    source = Source(data)
    names = ["a", "b", "c", "d", "e", "f"]
    count = source.number(7)
    only, plain = source.number(count + 1), source.number(count + 1)
    only, plain = min(only, plain), max(only, plain)
    required = source.number(plain + 1)
    texts = [name if index < required else f"{name}='D'" for index, name in enumerate(names[:plain])]
    if only:
        texts.insert(only, "/")
    if source.number(2):
        texts.append("*args")
    elif plain < count:
        texts.append("*")
    texts += [name + ("", "='D'")[source.number(2)] for name in names[plain:count]]
    if source.number(2):
        texts.append("**kwargs")
    signature = ", ".join(texts)
    positional = source.number(8)
    passed = list(dict.fromkeys(source.pick([*names, "zz", "args", "kwargs"]) for _ in range(source.number(6))))
    found = bind(CallShape(positional, tuple(passed)), parameters_of(signature))
    values = [("positional", index) for index in range(positional)]
    try:
        result = function(signature)(*values, **{name: ("keyword", name) for name in passed})
    except TypeError:
        assert not found.fits, signature
    else:
        assert found.fits, signature
        assert dict(found.landing) == landed(result)


def rules(data: bytes) -> None:
    """Any rule file is a rule or a `RuleError` of one line."""
    source = Source(data[1:])
    text = data[1:]
    if data[:1] < b"\xc0":
        lines = []
        while source.is_left and len(lines) < 40:
            lines.append(source.pick(RULE_KEYS) + source.pick(("", "", ": x", " ", "\n")))
        text = "\n".join(lines).encode()
    try:
        read_rule(Path("rules/lib/some-rule.yaml"), text)
    except RuleError as error:
        said = str(error)
    else:
        said = "fine"
    assert said == " ".join(said.splitlines())


_WHOLE = render(PATCHES[0], SET)
_PIECES = (b"", b"\n", b"--- a/x.py", b"+++ b/../x.py", b"@@ -1,1 +1,1 @@", b"# File: a.py", b"\0", b"-", b"+", b"\r")
_CUTS = [index for index, byte in enumerate(_WHOLE) if byte in b"\n "]


def patches(data: bytes) -> None:
    """A damaged or invented patch file is refused, or edits Python files of a package."""
    source = Source(data)
    content = bytearray(_WHOLE)
    if data[:1] >= b"\xc0":
        content = bytearray(data[1:])
    while source.is_left and source.place < 60:
        at = _CUTS[(source.number(256) * 256 + source.number(256)) % len(_CUTS)]
        piece = _PIECES[source.number(len(_PIECES))]
        other = _CUTS[source.number(256) % len(_CUTS)]
        content[at : at + source.number(40)] = piece + _WHOLE[other : other + source.number(30)]
    for whole in (bytes(content), resealed(bytes(content)) if content.count(b"\n") > 1 else b""):
        try:
            found = parse("010-x.patch", whole)
        except PatchError:
            continue
        for patch in found.patches:
            for file in patch.files:
                check_path(file.path)


def pages(data: bytes) -> None:
    """Any page of an index is a list of files or an error of ours."""
    kind = ("application/vnd.pypi.simple.v1+json", "text/html", "")[data[0] % 3 if data else 0]
    try:
        files = parse_page(data[1:], kind, "https://example.org/simple/x/", "x")
    except AuditError:
        return
    assert all(file.url.startswith(("http://", "https://")) for file in files)


TARGETS: dict[str, Callable[[bytes], Any]] = {
    function.__name__: function for function in (signatures, constructors, walker, binding, rules, patches, pages)
}


def parses(source: str) -> bool:
    """Whether Python reads a snippet, for measuring how good the made-up ones are."""
    try:
        ast.parse(source)
    except UNPARSABLE:
        return False
    return True
