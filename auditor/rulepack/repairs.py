"""What a rule's fix may ask for: the repairs of `auditor.fixes`, their options as templates, and where they act."""

from __future__ import annotations

import msgspec

from auditor.model import Applicability
from auditor.rulepack.evidence import OfMember, OfParameter


class _Node(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the repairs; their options carry the names that the repairs themselves have."""


class Repairing(_Node, frozen=True, kw_only=True):
    """What every repair may say.

    `at` is a place: `call` (default), `result`, `statement`, `receiver`, `argument:NAME`, or a name of `beside`.
    """

    at: str | None = None
    when: str | None = None
    """A template that must render to something; with an unbound metavariable it renders to nothing."""
    once: str | None = None
    """A target, such as `self._hasher`: where the enclosing class assigns it already, nothing is done."""


class AddArgument(Repairing, frozen=True, kw_only=True):
    """Pass one more keyword argument."""

    name: str
    value: str


class RemoveArgument(Repairing, frozen=True, kw_only=True):
    """Drop a keyword argument."""

    name: str


class RenameArgument(Repairing, frozen=True, kw_only=True):
    """Pass a keyword argument under another name."""

    name: str
    new_name: str


class ToKeyword(Repairing, frozen=True, kw_only=True):
    """Pass a positional argument by keyword; the position is found by the parameter's name."""

    name: str


class DropSubscript(Repairing, frozen=True, kw_only=True):
    """`x[0]` becomes `x`."""


class ReplaceExpression(Repairing, frozen=True, kw_only=True):
    """Another expression in the place of one."""

    text: str


class WrapExpression(Repairing, frozen=True, kw_only=True):
    """Text before and after an expression."""

    before: str = ""
    after: str = ""


class InsertStatement(Repairing, frozen=True, kw_only=True):
    """Statements `before` or `after` the one that holds the place."""

    text: str
    where: str = "before"


class AssignResult(Repairing, frozen=True, kw_only=True):
    """`f(x)` becomes `name = f(x)`."""

    name: str


class AssignAttribute(Repairing, frozen=True, kw_only=True):
    """`self.name = value` at the end of `__init__`."""

    name: str
    value: str
    receiver: str = "self"


class AddImport(Repairing, frozen=True, kw_only=True):
    """Give `symbol`, a dotted path whose module is looked up in the target release, or `module` (and `name`)."""

    symbol: str | None = None
    module: str | None = None
    name: str | None = None
    alias: str | None = None


class RenameAttribute(Repairing, frozen=True, kw_only=True):
    """`x.old` becomes `x.new_name`."""

    new_name: str


class RenameSymbol(Repairing, frozen=True, kw_only=True):
    """Import a name under its new name and rename its uses."""

    name: str
    new_name: str


class MoveImport(Repairing, frozen=True, kw_only=True):
    """Import a name from another module."""

    name: str
    new_module: str
    module: str | None = None


class RemoveAwait(Repairing, frozen=True, kw_only=True):
    """`await x` becomes `x`."""


class AddAwait(Repairing, frozen=True, kw_only=True):
    """`x` becomes `await x`."""


class AddParameter(Repairing, frozen=True, kw_only=True):
    """Let a function accept one more parameter."""

    name: str
    default: str = "None"
    annotation: str | None = None
    keyword_only: bool = False


class RepairSpec(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True
):
    """One repair: a mapping with exactly one key, its name."""

    add_argument: AddArgument | None = None
    remove_argument: RemoveArgument | None = None
    rename_argument: RenameArgument | None = None
    to_keyword: ToKeyword | None = None
    drop_subscript: DropSubscript | None = None
    replace_expression: ReplaceExpression | None = None
    wrap_expression: WrapExpression | None = None
    insert_statement: InsertStatement | None = None
    assign_result: AssignResult | None = None
    assign_attribute: AssignAttribute | None = None
    add_import: AddImport | None = None
    rename_attribute: RenameAttribute | None = None
    rename_symbol: RenameSymbol | None = None
    move_import: MoveImport | None = None
    remove_await: RemoveAwait | None = None
    add_await: AddAwait | None = None
    add_parameter: AddParameter | None = None

    def __post_init__(self) -> None:
        if sum(getattr(self, name) is not None for name in self.__struct_fields__) != 1:
            raise ValueError("a repair has exactly one key, its name")

    def chosen(self) -> tuple[str, Repairing]:
        """The repair's name and what it says."""
        for field in self.__struct_fields__:
            value = getattr(self, field)
            if isinstance(value, Repairing):
                return field.replace("_", "-"), value
        raise AssertionError("checked when it was made")


class Capability(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True
):
    """Something that code can ask the installed release for while it runs; exactly one key."""

    exists: str | None = None
    """A dotted path can be imported."""
    parameter: OfParameter | None = None
    """The signature of a function or class names this parameter."""
    member: OfMember | None = None
    """A class or module has this attribute."""
    not_: Capability | None = msgspec.field(name="not", default=None)

    def __post_init__(self) -> None:
        if sum(getattr(self, name) is not None for name in self.__struct_fields__) != 1:
            raise ValueError("a capability has exactly one key")


class FixSpec(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab", omit_defaults=True
):
    """What repairs the finding, whether that may be done unasked, and why."""

    applicability: Applicability
    safety: str
    """A sentence: why the edit may be trusted, or what it might change."""
    repairs: tuple[RepairSpec, ...]
    otherwise: str = "the values that the fix needs are not at hand here"
    """Why there is no fix where a metavariable that it needs is unbound."""
    capability: tuple[Capability, ...] = ()
    """What a release that needs the fix has, where one patch is made for several releases; each is enough by itself.

    By default what the evidence says of the new release that can be asked for at run time.
    """
    everywhere: bool = False
    """The fix means the same in releases that do not need it, so that it stands unguarded wherever it binds."""
