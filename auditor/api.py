"""What one module offers, as stored data: functions, classes, attributes, re-exports, with terms for their values."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from auditor.terms import Preset, Term

SCHEMA = 20
"""Raised whenever the stored form or the meaning of `ModuleApi` changes; part of every store key."""

ParameterKind: TypeAlias = Literal[
    "positional-only", "positional-or-keyword", "var-positional", "keyword-only", "var-keyword"
]


class Parameter(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One parameter; `default` and `annotation` are source texts, `default is None` means required."""

    name: str
    kind: ParameterKind = "positional-or-keyword"
    default: str | None = None
    annotation: str | None = None
    type: Term | None = None
    """The annotation as a term in the scope of the defining module."""


class Served(msgspec.Struct, frozen=True, gc=False):
    """What a module's `__getattr__` gives for a name: a path, "" for anything else; None where it refuses the name."""

    path: str | None


class Decorator(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A decorator as written (`text`) and what it names (`function`; its call arguments are in `text` alone)."""

    text: str
    function: Term


class Raise(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A `raise` or `assert` in a body: the exception or assertion, the nearest condition, its line."""

    text: str
    condition: str | None
    line: int


class Forward(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call in a body that passes the function's own `**kwargs` (and perhaps `*args`) on."""

    function: Term
    positional: int
    keywords: tuple[str, ...]
    passes_args: bool = False
    passes_kwargs: bool = True


class FunctionApi(msgspec.Struct, frozen=True, array_like=True, tag_field="kind_", tag="function", gc=False):
    """A function or method as its source states it."""

    name: str
    line: int
    parameters: tuple[Parameter, ...] = ()
    returns: str | None = None
    """Return annotation as written."""
    result: Term | None = None
    """The return annotation as an `Instance` term; where there is none, the returned expressions as a term."""
    by_default: Term | None = None
    """What is returned, where tests of flags in the body decide it: environment variables say which is likely."""
    is_async: bool = False
    is_generator: bool = False
    decorators: tuple[Decorator, ...] = ()
    overloads: tuple[FunctionApi, ...] = ()
    kwargs_keys: tuple[str, ...] = ()
    """Keys that the body takes out of its own `**kwargs` by name."""
    forwards: tuple[Forward, ...] = ()
    raises: tuple[Raise, ...] = ()
    returned: tuple[str, ...] = ()
    """Source texts of the returned expressions with the conditions inside them (reply shapes)."""
    reply_parameters: tuple[str, ...] = ()
    """Parameters on which the shape of the returned value depends (a conditional return tests them)."""
    documented_return: str | None = None
    """What the docstring says about the returned value, if it has such a passage or sentence."""
    deprecated: str | None = None
    """The text of a deprecation decorator or warning raised unconditionally, if any."""
    is_stub_body: bool = False
    """The body is empty, `...`, `pass` or `raise NotImplementedError`."""
    runtime: bool = True
    """False under `if TYPE_CHECKING`."""
    remakes: bool = False
    """It is an `__init_subclass__` that gives subclasses another constructor."""
    refuses_rest: bool = False
    """What is left of its own `**kwargs`, after the keys that it takes out by name, makes it raise."""
    stands_for: Term | None = None
    """What it hands all arguments on to as they are, and whose value it returns: `return f(*args, **kwargs)`."""

    def has(self, *names: str) -> bool:
        """Whether a decorator's last name is one of `names`."""
        return any(d.text.split("(")[0].rsplit(".", 1)[-1] in names for d in self.decorators)

    @property
    def is_static(self) -> bool:
        return self.has("staticmethod") or self.name == "__new__"

    @property
    def is_classmethod(self) -> bool:
        return self.has("classmethod") or self.name in ("__init_subclass__", "__class_getitem__")

    @property
    def is_property(self) -> bool:
        return self.has("property", "cached_property", "abstractproperty", "getter", "setter", "deleter")

    @property
    def is_abstract(self) -> bool:
        return self.has("abstractmethod", "abstractproperty")


class AttributeApi(msgspec.Struct, frozen=True, array_like=True, tag_field="kind_", tag="attribute", gc=False):
    """A module, class or instance attribute: annotation and value as written, and as terms."""

    name: str
    line: int
    annotation: str | None = None
    type: Term | None = None
    """The annotation as a term (not yet an `Instance`)."""
    value: str | None = None
    term: Term | None = None
    """The assigned expression as a term."""
    in_init: bool = False
    """Assigned on `self` inside a method instead of in the class body."""
    runtime: bool = True
    """False under `if TYPE_CHECKING`."""

    @property
    def is_init_only(self) -> bool:
        """Whether it is passed to a dataclass and not kept: an `InitVar` without default."""
        return self.value is None and (self.annotation or "").split("[")[0].rsplit(".", 1)[-1] == "InitVar"


class Reexport(msgspec.Struct, frozen=True, array_like=True, tag_field="kind_", tag="import", gc=False):
    """A name bound by an import statement: the absolute path it points to."""

    path: str
    line: int
    runtime: bool = True
    """False under `if TYPE_CHECKING`."""
    optional: bool = False
    """True where an `except ImportError` takes over if the import fails."""


class ClassApi(msgspec.Struct, frozen=True, array_like=True, tag_field="kind_", tag="class", gc=False):
    """A class as its source states it: bases and members in order of definition, alternatives kept."""

    name: str
    line: int
    bases: tuple[Term, ...] = ()
    base_texts: tuple[str, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()
    """Class keywords as written: metaclass, total, frozen, ..."""
    metaclass: Term | None = None
    decorators: tuple[Decorator, ...] = ()
    members: dict[str, tuple[Definition, ...]] = msgspec.field(default_factory=dict)
    """Definitions in the class body, the last one is what stands at run time unless conditions decide."""
    instance: dict[str, tuple[AttributeApi, ...]] = msgspec.field(default_factory=dict)
    """Attributes assigned on `self` in any method, and names in `__slots__`."""
    deprecated: str | None = None
    """The message of a deprecation decorator, if any."""
    runtime: bool = True
    """False under `if TYPE_CHECKING`."""


Definition: TypeAlias = FunctionApi | ClassApi | AttributeApi | Reexport


class ModuleApi(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Everything one module's source offers."""

    name: str
    is_package: bool
    names: dict[str, tuple[Definition, ...]] = msgspec.field(default_factory=dict)
    """Global names with all their conditional alternatives in source order; an unconditional redefinition replaces."""
    wildcards: tuple[str, ...] = ()
    """Modules imported with `*`, as absolute paths."""
    exports: tuple[str, ...] | None = None
    """`__all__`, where it can be read."""
    lazy: dict[str, str] = msgspec.field(default_factory=dict)
    """Names served by a module `__getattr__` or a lazy table: name -> absolute dotted path ("" where unknown)."""
    lazy_open: bool = False
    """Any further name may exist: the module `__getattr__` cannot be evaluated, or not all statements were read."""
    problems: tuple[str, ...] = ()
    """What could not be read, or only in part, such as the syntax of another Python."""
    lazy_deprecated: dict[str, str] = msgspec.field(default_factory=dict)
    """What the module `__getattr__` warns of when it serves a name that is deprecated."""
    conditions: dict[str, tuple[Term | None, ...]] = msgspec.field(default_factory=dict)
    """For names whose alternatives stand under tests of flags: what holds for each, None where that is not told."""
    presets: dict[str, Preset] = msgspec.field(default_factory=dict)
    """Flags that environment variables decide, `name()` for functions: what they are where nothing is set."""
