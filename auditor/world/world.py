"""Evaluates terms against one set of module trees: the consumer's own modules and one release of each provider."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import ParamSpec, TypeVar

from auditor.api import AttributeApi, ClassApi, Definition, FunctionApi, ModuleApi
from auditor.portions import namespaces, portion
from auditor.provider.constructors import Constructor, constructor
from auditor.terms import Term
from auditor.world import calls, definitions, members, names, presets, types
from auditor.world.basis import OWN, RELEASE, Variables
from auditor.world.classes import ClassRef, ExternalBase
from auditor.world.meaning import meaning
from auditor.world.trees import Tree
from auditor.world.values import (
    CYCLIC,
    Alias,
    ClassValue,
    External,
    FunctionValue,
    ModuleValue,
    Options,
    UnknownValue,
    Value,
)

_P = ParamSpec("_P")
_T = TypeVar("_T")

_MAX_DEPTH = 60


class World:
    """Gives terms their meaning. Results are remembered; a world never changes once made.

    Evaluation is one recursion over several modules: names, definitions, members, calls, types. They do not import each
    other; each takes the world and asks it for the next step.

    Args:
        trees: The module trees it consists of; a name belongs to the first tree that claims its top-level package.
        unset: Environment variables taken as not set: what they decide is decided, anything else has alternatives.
    """

    def __init__(self, trees: Sequence[Tree], unset: Container[str] = frozenset()) -> None:
        self.trees = tuple(trees)
        self.unset = unset
        self.variables = Variables()
        self._owners: dict[str, list[Tree]] = {}
        for tree in self.trees:
            for package in tree.packages:
                self._owners.setdefault(package, []).append(tree)
        self._namespaces = namespaces(self._owners)
        self.basis = OWN
        """What the evaluation that is going on rests on so far; whoever wants to know sets it to `OWN` before."""
        self._values: dict[Term, tuple[Value, int]] = {}
        self._bound: dict[tuple[str, str], tuple[Value | None, int]] = {}
        self._classes: dict[tuple[str, str, int], ClassRef] = {}
        self._constructors: dict[ClassRef, tuple[Constructor | None, int]] = {}
        self._pending: set[object] = set()

    @property
    def consumer_packages(self) -> frozenset[str]:
        """Top-level names of the first tree, the consumer's own."""
        return frozenset(self.trees[0].packages)

    # modules

    def owns(self, name: str) -> bool:
        """Whether the top-level package of a dotted name belongs to this world."""
        return bool(self._claimants(name))

    def tree(self, name: str) -> Tree | None:
        """The tree that has the module `name`, or claims its top-level package."""
        candidates = self._claimants(name)
        for tree in candidates:
            if tree.has_module(name):
                return tree
        return candidates[0] if candidates else None

    def _claimants(self, name: str) -> Sequence[Tree]:
        top = name.split(".", 1)[0]
        claimants: Sequence[Tree] = self._owners.get(top, ())
        if top in self._namespaces:
            claimants = self._sharing(name)
        if claimants and (claimants[-1] is not self.trees[0] or claimants[0] is not self.trees[0]):
            self.basis |= RELEASE
        return claimants

    def _sharing(self, name: str) -> Sequence[Tree]:
        """The trees that have a part of a namespace in which a name lies, or which lies in what it names."""
        inside = portion(name, self._owners)
        packages = [p for p in self._owners if p.startswith(f"{name}.")] if name in self._namespaces else []
        return [tree for package in filter(None, (inside, *packages)) for tree in self._owners[package]]

    def module(self, name: str) -> ModuleApi | None:
        """The API of a module of this world."""
        tree = self.tree(name)
        return tree.module(name) if tree else None

    def has_module(self, name: str) -> bool:
        """Whether a module of this name exists."""
        tree = self.tree(name)
        return tree is not None and tree.has_module(name)

    def may_have(self, module: str, name: str, others: Sequence[str]) -> bool:
        """Whether a module of this world may have a global name, without reading it; `others` are asked next."""
        tree = self.tree(module)
        return tree is not None and tree.may_have(module, name, others)

    # terms

    def evaluate(self, term: Term) -> Value:
        """The value of a term in this world; never raises, what cannot be told is an `UnknownValue`."""
        known = self._values.get(term)
        if known is not None:
            self.basis |= known[1]
            return known[0]
        if term in self._pending or len(self._pending) > _MAX_DEPTH:
            return self._cut_short()
        self._pending.add(term)
        try:
            known = self.apart(meaning, self, term)
        except RecursionError:  # many steps between two terms: the sources are nested as nobody nests by hand
            return self._cut_short()
        finally:
            self._pending.discard(term)
        if not self._is_passing(known[0]):
            self._values[term] = known
        return known[0]

    def apart(self, find: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> tuple[_T, int]:
        """What is found, and what that rests on: to be remembered together."""
        outer, self.basis = self.basis, OWN
        try:
            return find(*args, **kwargs), self.basis
        finally:
            self.basis |= outer

    def _cut_short(self) -> Value:
        self.basis |= RELEASE  # for all that is known
        return UnknownValue("cyclic definition")

    def _is_passing(self, value: Value) -> bool:
        """Whether a value is not known only because what asks for it is being evaluated right now."""
        return isinstance(value, UnknownValue) and value.reason == CYCLIC and bool(self._pending)

    def preset(self, test: Term) -> bool | None:
        """Whether a test of flags holds, where only environment variables that are taken as not set decide it."""
        told = presets.preset(self, test)
        if told is None:
            return None
        self.basis |= self.variables.basis(told.variables)
        return told.holds if all(variable in self.unset for variable in told.variables) else None

    # names

    def resolve(self, path: str) -> Value:
        """What an absolute dotted path names: the longest module prefix, then members."""
        return names.resolve(self, path)

    def global_name(self, module: str, name: str, *, strict: bool = False) -> Value:
        """The value of a global name of a module; `strict` where it is asked for from outside: no builtins there."""
        return names.global_name(self, module, name, strict=strict)

    def bound(self, module: str, name: str) -> Value | None:
        """What the statements of a module bind a global name to, remembered; None where they do not."""
        key = (module, name)
        known = self._bound.get(key)
        if known is not None:
            self.basis |= known[1]
            return known[0]
        if key in self._pending:
            self.basis |= RELEASE
            return UnknownValue(CYCLIC, f"{module}.{name}")
        self._pending.add(key)
        try:
            known = self.apart(names.find_bound, self, module, name)
        finally:
            self._pending.discard(key)
        if known[0] is None or not self._is_passing(known[0]):
            self._bound[key] = known
        return known[0]

    def define(self, module: str, definition: Definition, qualifier: str = "") -> Value:
        """The value of a definition found in the scope of `module` (inside the class `qualifier`, if any)."""
        return definitions.define(self, module, definition, qualifier)

    def attribute(self, api: AttributeApi, path: str) -> Value:
        """The value of an attribute: what is assigned where that is telling, else what its annotation says."""
        return definitions.attribute(self, api, path)

    # the steps of the recursion

    def member(self, of: Value, name: str) -> Value:
        """The value of `of.name`; `Missing` only where nothing can provide the name."""
        return members.member(self, of, name)

    def returned(self, function: Value) -> Value:
        """The value that calling `function` returns, whatever the arguments."""
        return calls.returned(self, function)

    def instantiate(self, type_: Value) -> Value:
        """The value that an annotation evaluating to `type_` stands for."""
        return types.instantiate(self, type_)

    def element(self, of: Value) -> Value:
        """One element of iterating over `of`."""
        return types.element(self, of)

    def awaited(self, of: Value) -> Value:
        """`await of`"""
        return types.awaited(self, of)

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
            case External(path) | Alias(path):
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

    def constructor(self, ref: ClassRef) -> Constructor | None:
        """The signature with which a class is called, remembered; None where it cannot be told."""
        if ref not in self._constructors:
            self._constructors[ref] = self.apart(constructor, ref)
        made, basis = self._constructors[ref]
        self.basis |= basis
        return made

    def in_stub(self, ref: ClassRef) -> ClassRef | None:
        """The class of the same name in the `.pyi` beside the module that defines it."""
        tree = self.tree(ref.module)
        stub = tree.stub(ref.module) if tree is not None else None
        if stub is None or "." in ref.qualname:
            return None
        found = [d for d in stub.names.get(ref.qualname, ()) if isinstance(d, ClassApi)]
        return self.class_ref(found[-1], ref.module, ref.qualname) if found and found[-1] is not ref.api else None

    def class_(self, path: str) -> ClassRef | None:
        """The class defined at a dotted path, if it is one of this world."""
        value = self.resolve(path)
        return value.ref if isinstance(value, ClassValue) else None
