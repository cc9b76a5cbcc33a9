"""Evaluates terms against one set of module trees: the consumer's own modules and one release of each provider."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Protocol

from auditor.api import AttributeApi, ClassApi, Definition, FunctionApi, ModuleApi, Reexport
from auditor.terms import (
    Awaited,
    Call,
    Choice,
    Constant,
    Element,
    Entered,
    Import,
    Instance,
    Mapping,
    Member,
    Name,
    Sequence as Display,
    Subscript,
    Super,
    Term,
    Unknown,
    Unpacked,
)
from auditor.world import calls, members, types
from auditor.world.classes import ClassRef, ExternalBase
from auditor.world.values import (
    Alias,
    ClassValue,
    Container,
    External,
    FunctionValue,
    Keys,
    Literal,
    Missing,
    ModuleValue,
    Options,
    SuperValue,
    UnknownValue,
    Value,
    options,
)

_MAX_DEPTH = 60
_BUILTINS = frozenset(dir(builtins))


class Tree(Protocol):
    """Modules of one distribution, read on demand."""

    @property
    def packages(self) -> Sequence[str]:
        """Top-level import names."""

    def module(self, name: str) -> ModuleApi | None:
        """The API of a module, or None where there is no such module."""

    def stub(self, name: str) -> ModuleApi | None:
        """The API of the `.pyi` that stands beside a module, if any."""

    def has_module(self, name: str) -> bool:
        """Whether a module (or namespace package) of this name exists, without reading it."""


class World:
    """Gives terms their meaning. Results are remembered; a world never changes once made.

    Args:
        trees: The module trees it consists of; a name belongs to the first tree that claims its top-level package.
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.trees = tuple(trees)
        self._owners: dict[str, list[Tree]] = {}
        for tree in self.trees:
            for package in tree.packages:
                self._owners.setdefault(package, []).append(tree)
        self._values: dict[Term, Value] = {}
        self._globals: dict[tuple[str, str], Value | None] = {}
        self._classes: dict[tuple[str, str, int], ClassRef] = {}
        self._pending: set[object] = set()

    @property
    def consumer_packages(self) -> frozenset[str]:
        """Top-level names of the first tree, the consumer's own."""
        return frozenset(self.trees[0].packages)

    # modules and names

    def owns(self, name: str) -> bool:
        """Whether the top-level package of a dotted name belongs to this world."""
        return name.split(".", 1)[0] in self._owners

    def tree(self, name: str) -> Tree | None:
        """The tree that has the module `name`, or claims its top-level package."""
        candidates = self._owners.get(name.split(".", 1)[0], [])
        for tree in candidates:
            if tree.has_module(name):
                return tree
        return candidates[0] if candidates else None

    def module(self, name: str) -> ModuleApi | None:
        """The API of a module of this world."""
        tree = self.tree(name)
        return tree.module(name) if tree else None

    def has_module(self, name: str) -> bool:
        """Whether a module of this name exists."""
        tree = self.tree(name)
        return tree is not None and tree.has_module(name)

    def evaluate(self, term: Term) -> Value:
        """The value of a term in this world; never raises, what cannot be told is an `UnknownValue`."""
        known = self._values.get(term)
        if known is not None:
            return known
        if term in self._pending or len(self._pending) > _MAX_DEPTH:
            return UnknownValue("cyclic definition")
        self._pending.add(term)
        try:
            value = self._evaluate(term)
        finally:
            self._pending.discard(term)
        self._values[term] = value
        return value

    def _evaluate(self, term: Term) -> Value:
        match term:
            case Import(path):
                return self.resolve(path)
            case Name(module, name):
                return self.global_name(module, name)
            case Member(of, name):
                return members.member(self, self.evaluate(of), name)
            case Call():
                return calls.result(self, term)
            case Instance(of):
                return types.instantiate(self, self.evaluate(of))
            case Choice(choices):
                return options([self.evaluate(option) for option in choices])
            case Subscript(of, index):
                return types.subscript(self, self.evaluate(of), tuple(self.evaluate(i) for i in index))
            case Element(of):
                return types.element(self, self.evaluate(of))
            case Unpacked(of, index, size):
                return types.unpacked(self, self.evaluate(of), index, size)
            case Awaited(of):
                return types.awaited(self, self.evaluate(of))
            case Entered(of):
                return types.entered(self, self.evaluate(of))
            case Super(of):
                cls = self.evaluate(of)
                return SuperValue(cls.ref) if isinstance(cls, ClassValue) else UnknownValue("super() of unknown class")
            case Constant(type_, text):
                return Literal(type_, text)
            case Display(type_, items):
                values = tuple(self.evaluate(item) for item in items)
                return Container(type_, values if type_ == "tuple" else (options(list(values)),) if values else ())
            case Mapping(items, is_open):
                return Keys(tuple((key, self.evaluate(value)) for key, value in items), is_open)
            case Unknown(reason):
                return UnknownValue(reason)

    def resolve(self, path: str) -> Value:
        """What an absolute dotted path names: the longest module prefix, then members."""
        if not self.owns(path):
            return External(path)
        parts = path.split(".")
        for count in range(len(parts), 0, -1):
            module = ".".join(parts[:count])
            if count < len(parts) and not self.has_module(module):
                continue
            if count == len(parts):
                # `from a import b` prefers the attribute b of a over the submodule a.b, as Python does
                if count > 1 and self.has_module(".".join(parts[:-1])):
                    value = self.global_name(".".join(parts[:-1]), parts[-1], strict=True)
                    if not isinstance(value, Missing | UnknownValue):
                        return value
                    if self.has_module(module):
                        return ModuleValue(module)
                    return value
                if self.has_module(module):
                    return ModuleValue(module)
                continue
            value = self.global_name(module, parts[count], strict=True)
            for name in parts[count + 1 :]:
                if isinstance(value, Missing):  # what is asked of it was expected to be a module, or to be in one
                    return Missing(module, ".".join(parts[count:]), "module")
                value = members.member(self, value, name)
            return value
        return Missing("", path, "module")

    def global_name(self, module: str, name: str, *, strict: bool = False) -> Value:
        """The value of a global name of a module.

        Args:
            module: Dotted module name.
            name: The name.
            strict: Asked from outside (`module.name`): builtins do not count.
        """
        found = self._global(module, name)
        if found is not None:
            if strict and self._is_for_annotations(module, name):
                return UnknownValue("bound under TYPE_CHECKING only", f"{module}.{name}")
            return found
        if not strict and name in _BUILTINS:
            return External(f"builtins.{name}")
        api = self.module(module)
        if api is None:
            return UnknownValue("unread module")
        if self.has_module(f"{module}.{name}"):
            return ModuleValue(f"{module}.{name}")
        if api.lazy_open or api.problems:
            return UnknownValue("module __getattr__" if api.lazy_open else api.problems[0])
        if name in ("__file__", "__name__", "__doc__", "__path__", "__dict__", "__spec__", "__package__", "__loader__"):
            return UnknownValue("module attribute", f"{module}.{name}")
        if not strict:
            return UnknownValue("undefined name")
        return Missing(module, name, "member of module")

    def _is_for_annotations(self, module: str, name: str) -> bool:
        """Whether a module binds a name under TYPE_CHECKING only: its annotations see it, importers do not."""
        api = self.module(module)
        definitions = api.names.get(name, ()) if api is not None else ()
        return (
            bool(definitions)
            and not any(d.runtime for d in definitions)
            and api is not None
            and name not in api.lazy
            and not api.wildcards
        )

    def _global(self, module: str, name: str) -> Value | None:
        key = (module, name)
        if key in self._globals:
            return self._globals[key]
        if key in self._pending:
            return UnknownValue("cyclic import", f"{module}.{name}")
        self._pending.add(key)
        try:
            value = self._find_global(module, name)
        finally:
            self._pending.discard(key)
        self._globals[key] = value
        return value

    def _find_global(self, module: str, name: str) -> Value | None:
        tree = self.tree(module)
        api = tree.module(module) if tree else None
        if tree is None or api is None:
            return None
        definitions = api.names.get(name, ())
        runtime = [d for d in definitions if d.runtime]
        if runtime:
            value = options([self.define(module, d) for d in runtime])
            if not isinstance(value, UnknownValue) or value.path == "":
                return value
        if name in api.lazy:
            path = api.lazy[name]
            return self.resolve(path) if path else UnknownValue("served by module __getattr__", f"{module}.{name}")
        for star in api.wildcards:
            if (value := self._from_star(star, name)) is not None:
                return value
        if (stub := tree.stub(module)) is not None and (found := stub.names.get(name)):
            return options([self.define(module, d) for d in found])
        if runtime:
            return UnknownValue("value not read", f"{module}.{name}")
        if definitions:  # bound under TYPE_CHECKING only
            return options([self.define(module, d) for d in definitions])
        return None

    def _from_star(self, star: str, name: str) -> Value | None:
        if not self.owns(star):
            return External(f"{star}.{name}") if False else None
        source = self.module(star)
        if source is None or (source.exports is None and name.startswith("_")):
            return None
        if source.exports is not None and name not in source.exports:
            return None
        value = self._global(star, name)
        if value is None and self.has_module(f"{star}.{name}") and name in (source.exports or ()):
            return ModuleValue(f"{star}.{name}")
        return value

    def define(self, module: str, definition: Definition, qualifier: str = "") -> Value:
        """The value of a definition found in the scope of `module` (inside the class `qualifier`, if any)."""
        qualname = f"{qualifier}.{definition.name}" if qualifier and not isinstance(definition, Reexport) else ""
        match definition:
            case FunctionApi(name=name):
                path = f"{module}.{qualname or name}"
                return FunctionValue(definition, module, path)
            case ClassApi(name=name):
                return ClassValue(self.class_ref(definition, module, qualname or name))
            case Reexport(path=path):
                value = self.resolve(path)
                if isinstance(value, Missing):  # the provider's own import: taken at its word
                    return UnknownValue("re-export that cannot be followed", path)
                return value
            case AttributeApi(name=name):
                return self.attribute(definition, f"{module}.{qualname or name}")

    def attribute(self, api: AttributeApi, path: str) -> Value:
        """The value of an attribute: what is assigned where that is telling, else what its annotation says."""
        value: Value = UnknownValue("value not read", path)
        if api.term is not None:
            found = self.evaluate(api.term)
            if isinstance(found, Options):
                found = options([v for v in found.values if not isinstance(v, UnknownValue)] or [value])
            if not isinstance(found, UnknownValue | Missing | Literal):
                value = found
        if api.type is not None and (isinstance(value, UnknownValue) or api.in_init):
            declared = types.instantiate(self, self.evaluate(api.type))
            if isinstance(declared, External | Alias) or (isinstance(declared, UnknownValue)):
                return value
            if isinstance(value, UnknownValue) or not isinstance(declared, UnknownValue):
                value = declared
        if isinstance(value, UnknownValue) and api.term is not None and isinstance(api.term, Constant):
            return Literal(api.term.type, api.term.text)
        return value

    # classes

    def class_ref(self, api: ClassApi, module: str, qualname: str) -> ClassRef:
        """The one `ClassRef` for a class definition."""
        key = (module, qualname, id(api))
        if key not in self._classes:
            self._classes[key] = ClassRef(api, module, qualname, self)
        return self._classes[key]

    def base(self, term: Term) -> ClassRef | ExternalBase:
        """The class that a base expression names."""
        value = self.evaluate(term)
        if isinstance(value, Options):
            value = next((v for v in value.values if isinstance(v, ClassValue)), value.values[0])
        match value:
            case ClassValue(ref):
                return ref
            case External(path):
                return ExternalBase(path)
            case Alias(path):
                return ExternalBase(path)
            case _:
                return ExternalBase("")

    def canonical(self, term: Term) -> str | None:
        """The dotted path a term stands for, through aliases; None where it is not a plain name."""
        match self.evaluate(term):
            case External(path) | Alias(path):
                return path
            case ClassValue(ref):
                return ref.path
            case FunctionValue(path=path):
                return path
            case ModuleValue(name):
                return name
            case UnknownValue(path=path) if path:
                return path
            case _:
                return None

    def function(self, path: str) -> FunctionApi | None:
        """The function defined at a dotted path, if it is one of this world."""
        value = self.resolve(path)
        return value.api if isinstance(value, FunctionValue) else None

    def class_(self, path: str) -> ClassRef | None:
        """The class defined at a dotted path, if it is one of this world."""
        value = self.resolve(path)
        return value.ref if isinstance(value, ClassValue) else None
