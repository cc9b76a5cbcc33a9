"""What a rule file may say: frozen structs whose field names, in kebab case, are the keys of the YAML."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from auditor.model import Confidence, Severity
from auditor.rulepack.evidence import Evidence
from auditor.rulepack.repairs import FixSpec

Names: TypeAlias = str | tuple[str, ...]
"""A dotted path or several: `vllm.v1.request.Request`; `*.from_pretrained` is any method of that name."""


class _Node(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True):
    """Base of everything a rule file holds: an unknown key is an error."""


class ArgumentTest(_Node, frozen=True, kw_only=True):
    """What the source text of an argument must be; all that is given must hold."""

    equals: str | bool | int | None = None
    differs: str | bool | int | None = None
    matches: str | None = None
    """A regular expression that the whole text must match."""


ArgumentTests: TypeAlias = dict[str, str | bool | int | ArgumentTest | None]
"""Parameter name -> source text, test, or null for any value at all."""

How: TypeAlias = Literal[
    "assign",
    "subscript",
    "unpack",
    "truth",
    "iterate",
    "attribute",
    "await",
    "argument",
    "context",
    "discard",
    "return",
    "none-test",
]


class Result(_Node, frozen=True, kw_only=True):
    """What the consumer does with the value of the call."""

    how: How
    detail: str | None = None
    """The index, the number of targets or the attribute's name."""


class Context(_Node, frozen=True, kw_only=True):
    """Something else that stands near the match, or must not.

    One of `call`, `name` and `text` says what; `inside`, `order` and the rest say where and how.
    """

    call: Names = ()
    """Calls of these, given like `match.call`."""
    name: Names = ()
    """A bare name: an attribute, a variable or a string of that text."""
    text: str | None = None
    """An expression, as a template over what was matched: `{{ args.model }}.model`."""
    inside: Literal["loop", "function", "class", "module"] = "function"
    """How far around the match to look; `loop` is the innermost loop, or the function where there is none."""
    order: Literal["any", "before", "after"] = "any"
    with_: ArgumentTests = msgspec.field(name="with", default_factory=dict)
    without: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    """Parameters that get the same text here and in the matched call."""
    same_receiver: bool = False
    optional: bool = False
    """It binds its metavariables where it is found; the rule applies without it as well."""


class Match(_Node, frozen=True, kw_only=True):
    """Which places of the consumer the rule is about: one of `call`, `attribute`, `subclass`, `import`."""

    call: Names = ()
    attribute: Names = ()
    subclass: Names = ()
    imports: Names = msgspec.field(name="import", default=())
    untyped: bool = False
    """Also by the bare last name, on receivers whose type cannot be told, in files that use the provider."""
    positions: tuple[str, ...] = ()
    """Names of the positional parameters where no signature is at hand (a package that is not audited)."""
    with_: ArgumentTests = msgspec.field(name="with", default_factory=dict)
    without: tuple[str, ...] = ()
    result: tuple[How | Result, ...] = ()
    """The value must be used in one of these ways."""
    lacking: tuple[str, ...] = ()
    """Methods of which the subclass defines or inherits none in the consumer's own classes."""
    beside: dict[str, Context] = msgspec.field(default_factory=dict)
    """What must stand nearby; each name becomes a metavariable with `text`, `receiver`, `target` and `args`."""
    absent: tuple[Context, ...] = ()
    """What must not stand nearby."""
    at: str | None = None
    """Where the finding points: `call`, `result`, `statement`, `argument:NAME` or a name of `beside`."""


class Grade(_Node, frozen=True, kw_only=True):
    """Another severity where something stands nearby."""

    severity: Severity
    when: Context
    note: str | None = None


class Extension(_Node, frozen=True, kw_only=True):
    """A call whose argument names a consumer class that extends the receiving one."""

    call: Names
    parameter: str


class Dispatch(_Node, frozen=True, kw_only=True):
    """A callable that takes the *name* of a method: which classes it is looked up on."""

    call: Names
    parameter: str
    classes: tuple[str, ...]
    extension: Extension | None = None


class Sides(_Node, frozen=True, kw_only=True):
    """What must be true of the release to run on, and of the one the consumer was written for."""

    new: tuple[Evidence, ...] = ()
    old: tuple[Evidence, ...] = ()


class Rule(_Node, frozen=True, kw_only=True):
    """One migration: when it applies, what it matches, what it says, and how it repairs."""

    summary: str
    message: str
    """A template over what was matched."""
    severity: Severity = "error"
    confidence: Confidence = "high"
    label: str = ""
    why: str = ""
    """More for people: what happens at run time."""
    versions: str = ""
    """PEP 440 range of the release to run on; it may only narrow what the evidence says."""
    evidence: Sides = Sides()
    match: Match | None = None
    dispatch: Dispatch | None = None
    grades: tuple[Grade, ...] = ()
    replaces: tuple[str, ...] = ()
    """Core findings at the same place that this rule explains, and so takes the place of."""
    argument: str | None = None
    """The argument it is about: of a finding on several arguments only this one is replaced."""
    notes: tuple[str, ...] = ()
    fix: FixSpec | None = None
    unfixed: str | None = None
    """Why there is no fix, where there is none."""


def schema_text() -> str:
    """The JSON Schema of a rule file, for editors."""
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "api-audit rule",
        **msgspec.json.schema(Rule),
    }
    for name in ("Evidence", "RepairSpec", "Capability"):
        schema["$defs"][name] |= {"minProperties": 1, "maxProperties": 1}
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"
