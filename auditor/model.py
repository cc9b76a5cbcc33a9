"""The nouns of the tool, frozen and typed: Use, Finding, Fix, Patch, Report. Nothing here computes an audit."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from auditor.terms import Guard, Term

Severity: TypeAlias = Literal["error", "warning", "info"]
Confidence: TypeAlias = Literal["high", "medium", "low"]
State: TypeAlias = Literal["open", "suppressed", "baselined"]
Applicability: TypeAlias = Literal["safe", "unsafe", "display-only"]
Fate: TypeAlias = Literal["broken", "altered", "noted", "fine", "elsewhere", "unknown"]
"""How a use fares in a release; `elsewhere`: another finding tells of it there; `unknown`: not audited."""


class Span(msgspec.Struct, frozen=True, gc=False):
    """A stretch of source: POSIX path relative to what was scanned; lines and columns count from 1, in characters;
    the end is exclusive.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class Interval(msgspec.Struct, frozen=True):
    """Neighbouring releases in which a use fares alike; `last` is None where that lasts to the end of the range."""

    first: str
    last: str | None
    state: Fate

    def __str__(self) -> str:
        return f"{self.span} {self.state}"

    @property
    def span(self) -> str:
        """`0.12.0-0.16.0`, `0.17.0-`."""
        if self.last is None:
            return f"{self.first}-"
        return self.first if self.first == self.last else f"{self.first}-{self.last}"


class Argument(msgspec.Struct, frozen=True, gc=False):
    """One argument at a call, in source order.

    `star` is "" for a plain one, "*" or "**" for unpacking. A `**kw` whose keys are known from the code around it
    stays one argument, its term a `Mapping`.
    """

    span: Span
    text: str
    term: Term
    name: str | None = None
    star: Literal["", "*", "**"] = ""


class Usage(msgspec.Struct, frozen=True, gc=False):
    """What the consumer does with a value: how, and the detail (index, number of targets, attribute name, `async`)."""

    how: Literal[
        "subscript", "unpack", "truth", "iterate", "attribute", "await", "argument", "context", "discard", "return",
        "none-test",
    ]  # fmt: skip
    detail: str
    span: Span
    guards: tuple[Guard, ...] = ()
    """The conditions under which that happens."""


UseKind: TypeAlias = Literal["import", "attribute", "call", "class", "string", "patch"]


class Use(msgspec.Struct, frozen=True, gc=False):
    """One place where the consumer may touch a provider.

    `term` is: for `import` the imported path, for `attribute` the whole access `of.name`, for `call` the callee, for
    `class` the consumer's own class (a `Name`), for `string` the dotted path, for `patch` (an assignment onto a
    provider's object or class) the target.
    """

    kind: UseKind
    span: Span
    term: Term
    text: str
    """Source text of the callee, access or import, on one line."""
    module: str
    """Dotted name of the consumer module it stands in."""
    scope: str = ""
    """Qualified name of the enclosing class and function, "" at module level."""
    name_span: Span | None = None
    """Where the last name stands (what a rename replaces)."""
    arguments: tuple[Argument, ...] = ()
    guards: tuple[Guard, ...] = ()
    usages: tuple[Usage, ...] = ()
    alias: str | None = None
    """For `import`: the local name it binds. For `patch`: the consumer function assigned."""
    value: Term | None = None
    """For `patch`: what is assigned."""
    indirect: bool = False
    """For `call`: another function makes the call, so that its positions are not those of the text."""


class Repair(msgspec.Struct, frozen=True):
    """One edit, named after the module in `auditor/fixes/` that performs it, at one place, with its options."""

    repair: str
    span: Span
    options: dict[str, str | int | bool] = {}


class Fix(msgspec.Struct, frozen=True):
    """What repairs a finding: edits that belong together, whether they may be applied unasked, and why."""

    repairs: tuple[Repair, ...]
    applicability: Applicability
    reason: str
    patch: str | None = None
    """The patch file that carries it, relative to the patch folder's parent, once written."""
    capabilities: tuple[Guard, ...] = ()
    """What a release that needs these edits has, each enough by itself to tell it from one that does not."""
    everywhere: bool = False
    """Whether the edits mean the same in releases that do not need them, wherever they bind."""


class Signature(msgspec.Struct, frozen=True):
    """A provider signature for people: rendered text and where it stands (`module`, line), release included."""

    text: str
    path: str
    line: int


class Finding(msgspec.Struct, frozen=True):
    """One drift at one place."""

    rule: str
    severity: Severity
    confidence: Confidence
    provider: str
    """Distribution name of the provider."""
    symbol: str
    """Dotted path of the drifted symbol, as the old release defines it."""
    span: Span
    message: str
    argument: str | None = None
    label: str = ""
    """A few words under the carets."""
    scope: str = ""
    old_signature: Signature | None = None
    new_signature: Signature | None = None
    notes: tuple[str, ...] = ()
    fix: Fix | None = None
    unfixed: str | None = None
    """Why there is no fix, where there is none."""
    state: State = "open"
    state_reason: str | None = None
    text: str = ""
    """Source text of the use (for fingerprints)."""
    id: str = ""
    """Stable fingerprint: rule, path, scope, symbol, argument, text and ordinal; never a line number."""
    intervals: tuple[Interval, ...] = ()
    """Where a range of releases was audited: how the use fares in each part of it."""


class CallSite(msgspec.Struct, frozen=True):
    """A call that was audited, as the runner needs it to bind against the live signature."""

    span: Span
    symbol: str
    """Dotted path of the callee in the new release."""
    positional: int
    keywords: tuple[str, ...]
    star: bool
    double_star: bool
    new_signature: str | None
    verdict: Literal["fits", "broken", "unknown"]
    releases: tuple[str, ...] = ()
    """Where a range was audited and not all of its releases see this call so: those that do."""


class ByName(msgspec.Struct, frozen=True):
    """Callables that take a method's name, and the classes on which it is looked up, as the runner needs them."""

    calls: tuple[str, ...]
    """Without their paths."""
    parameter: str
    """The one that takes the name; or the name comes first."""
    classes: tuple[str, ...]


class ConsumerInfo(msgspec.Struct, frozen=True):
    """What was audited: distribution name (or folder name), version if known, import packages, files."""

    name: str
    version: str | None
    origin: str
    files: int


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """The releases of a provider that were audited one by one, and in which of them the consumer is right."""

    asked: str
    """As it was asked for: `vllm>=0.12,<0.24`."""
    releases: tuple[str, ...]
    old: tuple[str, ...] = ()
    """The releases that they were compared with."""
    clean: tuple[Interval, ...] = ()
    """The parts in which nothing but notes was found."""
    widest: str | None = None
    """The longest of these as a requirement: `vllm>=0.12.0,<=0.16.0`."""
    proven: tuple[str, ...] = ()
    """The releases in which nothing but notes is left once all patches are applied."""
    widest_patched: str | None = None
    """The longest run of these as a requirement."""


class ProviderInfo(msgspec.Struct, frozen=True):
    """Against what: distribution, top-level import names, both releases and where each came from."""

    name: str
    packages: tuple[str, ...]
    old: str | None
    new: str
    old_origin: str | None
    new_origin: str
    old_reason: str
    """How the old side was chosen: `--from`, the consumer's metadata, ..."""
    range: Range | None = None
    """Where it was audited with a whole range of releases: which, and what came of it."""


class Problem(msgspec.Struct, frozen=True):
    """Something that was not audited, and why: path (or symbol), line if any, message."""

    path: str
    message: str
    line: int | None = None
    kind: str = "unread"


class Report(msgspec.Struct, frozen=True):
    """The result of one audit."""

    consumer: ConsumerInfo
    providers: tuple[ProviderInfo, ...]
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...] = ()
    call_sites: tuple[CallSite, ...] = ()
    by_name: tuple[ByName, ...] = ()
    patches: tuple[Patch, ...] = ()
    stats: dict[str, int | float] = {}
    files: tuple[str, ...] = ()
    """Paths of all the files that were read."""
    sources: dict[str, str] = {}
    """Text of each file in which a finding stands, by path, for code frames."""


class Proof(msgspec.Struct, frozen=True):
    """A check that a patch passed: its name (`parses`, `idempotent`, ...) and a sentence."""

    name: str
    detail: str


class Patch(msgspec.Struct, frozen=True):
    """A patch file: one rule's edits over the consumer's files, with its proofs."""

    name: str
    """File name inside the patch folder, e.g. `010-missing-argument.patch`."""
    rule: str
    applicability: Applicability
    reason: str
    symbols: tuple[str, ...]
    files: tuple[PatchedFile, ...]
    proofs: tuple[Proof, ...] = ()
    old_signatures: tuple[str, ...] = ()
    new_signatures: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    """Ids of the findings it repairs."""


class PatchedFile(msgspec.Struct, frozen=True):
    """One file a patch edits: path relative to the consumer's root, SHA-256 before and after, and its diff text."""

    path: str
    before: str
    after: str
    diff: str
    encoding: str = "utf-8"
    """How `diff` becomes bytes: the encoding of the file it edits."""
