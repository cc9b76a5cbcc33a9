"""Evaluates terms against one set of module trees: the consumer's own modules and one release of each provider."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.api import AttributeApi, ClassApi, Definition, FunctionApi, ModuleApi
from auditor.provider.constructors import Constructor, constructor
from auditor.terms import (
    Awaited,
    Call,
    Choice,
    Constant,
    Decided,
    Element,
    Entered,
    Import,
    Instance,
    Mapping,
    Member,
    Name,
    Preset,
    Subscript,
    Super,
    Term,
    Unknown,
    Unpacked,
)
from auditor.terms import Sequence as Display
from auditor.world import calls, definitions, members, names, presets, types
from auditor.world.classes import ClassRef, ExternalBase
from auditor.world.trees import Tree
from auditor.world.values import (
    CYCLIC,
    Alias,
    ClassValue,
    Container,
    External,
    FunctionValue,
    Keys,
    Literal,
    ModuleValue,
    Options,
    SuperValue,
    UnknownValue,
    Value,
    options,
)

_MAX_DEPTH = 60


class World:
    """Gives terms their meaning. Results are remembered; a world never changes once made.

    Evaluation is one recursion over several modules: names, definitions, members, calls, types. They do not import each
    other; each takes the world and asks it for the next step.

    Args:
        trees: The module trees it consists of; a name belongs to the first tree that claims its top-level package.
        unset: Environment variables taken as not set: what they decide is decided, anything else has alternatives.
    """

    def __init__(self, trees: Sequence[Tree], unset: frozenset[str] = frozenset()) -> None:
        self.trees = tuple(trees)
        self.unset = unset
        self.asked: set[str] = set()
        """Further environment variables on which something that was evaluated depends."""
        self._owners: dict[str, list[Tree]] = {}
        for tree in self.trees:
            for package in tree.packages:
                self._owners.setdefault(package, []).append(tree)
        self._values: dict[Term, Value] = {}
        self._bound: dict[tuple[str, str], Value | None] = {}
        self._classes: dict[tuple[str, str, int], ClassRef] = {}
        self._constructors: dict[ClassRef, Constructor | None] = {}
        self._pending: set[object] = set()

    @property
    def consumer_packages(self) -> frozenset[str]:
        """Top-level names of the first tree, the consumer's own."""
        return frozenset(self.trees[0].packages)

    # modules

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

    # terms

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
        except RecursionError:  # many steps between two terms: the sources are nested as nobody nests by hand
            return UnknownValue("cyclic definition")
        finally:
            self._pending.discard(term)
        if not self._is_passing(value):
            self._values[term] = value
        return value

    def _is_passing(self, value: Value) -> bool:
        """Whether a value is not known only because what asks for it is being evaluated right now."""
        return isinstance(value, UnknownValue) and value.reason == CYCLIC and bool(self._pending)

    def _evaluate(self, term: Term) -> Value:
        match term:
            case Import(path):
                return self.resolve(path)
            case Name(module, name):
                return self.global_name(module, name)
            case Member(of, name):
                return self.member(self.evaluate(of), name)
            case Call():
                return calls.result(self, term)
            case Instance(of):
                return self.instantiate(self.evaluate(of))
            case Choice(choices):
                return options([self.evaluate(option) for option in choices])
            case Decided(test, body, orelse):
                held = self.preset(test)
                chosen = [orelse] if held is False else [body] if held else [body, orelse]
                return options([self.evaluate(option) for option in chosen])
            case Preset():
                return Literal("bool", "")
            case Super(of):
                cls = self.evaluate(of)
                return SuperValue(cls.ref) if isinstance(cls, ClassValue) else UnknownValue("super() of unknown class")
            case Subscript() | Element() | Unpacked() | Awaited() | Entered():
                return self._part(term)
            case Constant() | Display() | Mapping():
                return self._display(term)
            case Unknown(reason):
                return UnknownValue(reason)

    def _part(self, term: Subscript | Element | Unpacked | Awaited | Entered) -> Value:
        """What is taken out of another value."""
        of = self.evaluate(term.of)
        match term:
            case Subscript(index=index):
                return types.subscript(self, of, tuple(self.evaluate(i) for i in index))
            case Element():
                return self.element(of)
            case Unpacked(index=position, size=size):
                return types.unpacked(self, of, position, size)
            case Awaited():
                return self.awaited(of)
            case Entered():
                return types.entered(self, of)

    def _display(self, term: Constant | Display | Mapping) -> Value:
        """What is written out in the source."""
        match term:
            case Constant(type_, text):
                return Literal(type_, text)
            case Display(type_, items):
                values = tuple(self.evaluate(item) for item in items)
                return Container(type_, values if type_ == "tuple" else (options(list(values)),) if values else ())
            case Mapping(items, is_open, conditions):
                return Keys(tuple((key, self.evaluate(value)) for key, value in items), is_open, conditions)

    def preset(self, test: Term) -> bool | None:
        """Whether a test of flags holds, where only environment variables that are taken as not set decide it."""
        told = presets.preset(self, test)
        if told is None:
            return None
        self.asked.update(v for v in told.variables if v not in self.unset)
        return told.holds if self.unset.issuperset(told.variables) else None

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
        if key in self._bound:
            return self._bound[key]
        if key in self._pending:
            return UnknownValue(CYCLIC, f"{module}.{name}")
        self._pending.add(key)
        try:
            value = names.find_bound(self, module, name)
        finally:
            self._pending.discard(key)
        if value is None or not self._is_passing(value):
            self._bound[key] = value
        return value

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
            self._constructors[ref] = constructor(ref)
        return self._constructors[ref]

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
