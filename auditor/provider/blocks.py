"""Reads the statements of a module or class body into a `Namespace`: definitions, imports, assignments, branches."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from auditor.api import AttributeApi, ClassApi, Reexport
from auditor.provider import branches
from auditor.provider.bodies import FunctionNode
from auditor.provider.classes import add_slots, base_term, bases_of
from auditor.provider.exports import Exports
from auditor.provider.flags import asks_environment
from auditor.provider.functions import Place, deprecation, read_decorators, read_function, short
from auditor.provider.getattrs import makes_getattr
from auditor.provider.namespaces import TYPING_ONLY, Branch, Namespace
from auditor.provider.scopes import Source, bounded, class_term, imported, read_source, target_names
from auditor.reading import Environment, annotation, bind_target, read, text
from auditor.terms import UNKNOWN, Decided, Import, Term

_SHORT = 4
"""Statements that a function has at most that only tells a setting."""
MAX_LINES = 400
"""Lines beyond which a module-level table is kept as a name without its contents."""


class BlockReader:
    """Reads bodies; `namespace`, `env` and `class_path` are those of the body being read.

    Args:
        module: Dotted name of the module.
        package: What its relative imports are relative to.
        is_stub: Whether it is a `.pyi` file.
        yields: Numbers of the lines with the word `yield`.
        asks: Whether the source may ask for environment variables.
    """

    def __init__(self, *, module: str, package: str, is_stub: bool, yields: Sequence[int], asks: bool) -> None:
        self.module = module
        self.package = package
        self.is_stub = is_stub
        self.yields = yields
        self.asks = asks
        self.namespace = Namespace()
        self.env = Environment(module)
        self.class_path: str | None = None
        self.branch: Branch = ()
        self.optional = False
        """Inside a `try` whose failed import is taken care of."""
        self.wildcards: list[str] = []
        self.typing_wildcards: list[str] = []
        self.exports = Exports()
        self.executed: list[ast.stmt] = []
        """Module-level statements that may fill tables, in order (for lazy tables)."""
        self.recording = True
        self.problems: list[str] = []
        self._branches = 0
        self.tests: dict[int, Term] = {}
        """What holds in a branch, for branches between which flags decide."""

    def read(self, body: list[ast.stmt]) -> None:
        """Read the statements of one body, each on its own: a statement nested too deeply costs only itself."""
        for node in body:
            reader = _READERS.get(type(node))
            if reader is None:
                continue
            try:
                reader(self, node)
            except RecursionError:
                self.problems.append(f"line {node.lineno}: nested too deeply")

    def _function(self, node: FunctionNode) -> None:
        place = Place(
            self.module, self.package, self.class_path, self.env, self.yields, self.is_stub, self._at_run_time
        )
        found = read_function(node, place)
        self.namespace.add_function(found.function, self.branch)
        self._bind_in_class(node.name)
        for attribute in found.assigned:
            self.namespace.assign_instance(attribute)
        for name in sorted(found.globals):
            if self.class_path is None and not self.namespace.has(name):
                self.namespace.add(name, AttributeApi(name, node.lineno), self.branch)
        if self.class_path is None:
            self.exports.function(node)
        asks = self.asks and len(node.body) <= _SHORT and asks_environment(node)
        if node.name == "__getattr__" or asks or makes_getattr(node):
            self.record(node)

    def _class(self, node: ast.ClassDef) -> None:
        outer = (self.namespace, self.env, self.class_path, self.branch)
        qualified = f"{self.class_path}.{node.name}" if self.class_path else node.name
        env = self.env
        header = Environment(self.module, env)
        for parameter in getattr(node, "type_params", ()):
            header.names[parameter.name] = UNKNOWN
        keywords = [(k.arg, k.value) for k in node.keywords if k.arg is not None]
        bases, metaclass = bases_of(node)
        keywords += [("metaclass", metaclass)] if metaclass is not None else []
        runtime = self._at_run_time
        self.namespace, self.class_path, self.branch = Namespace(), qualified, ()
        self.env = Environment(self.module, header if header.names else None, qualified)
        try:
            self.read(node.body)
            members = self.namespace
        finally:
            self.namespace, self.env, self.class_path, self.branch = outer
        add_slots(members, node)
        found = ClassApi(
            name=node.name,
            line=node.lineno,
            bases=tuple([base_term(b, header) for b in bases]),
            base_texts=tuple([text(b) for b in bases]),
            keywords=tuple([(name, short(value)) for name, value in keywords]),
            metaclass=next((read(value, env) for name, value in keywords if name == "metaclass"), None),
            decorators=read_decorators(node.decorator_list, env),
            members=members.definitions(),
            instance={name: tuple(known) for name, known in members.instance.items()},
            deprecated=next((d for n in node.decorator_list if (d := deprecation(n)) is not None), None),
            runtime=runtime,
        )
        self._bind_in_class(node.name)
        self.namespace.add(node.name, found, self.branch)

    @property
    def _at_run_time(self) -> bool:
        return TYPING_ONLY not in self.branch

    def record(self, node: ast.stmt) -> None:
        """Keep a statement that may fill a lazy table; a loop is kept as a whole."""
        if self.class_path is None and self.recording and TYPING_ONLY not in self.branch:
            self.executed.append(node)

    def _bind_in_class(self, name: str) -> None:
        if self.class_path is not None:
            path = class_term(self.module, f"{self.class_path}.{name}")
            self.env.names[name] = path

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.record(node)
        for name, path in imported(node, self.package):
            if name == "*":
                (self.wildcards if self._at_run_time else self.typing_wildcards).append(path)
                continue
            found = Reexport(path, node.lineno, self._at_run_time, self.optional)
            self.namespace.add(name, found, self.branch)
            if self.class_path is not None:
                self.env.names[name] = Import(path)

    def _assign(self, node: ast.Assign) -> None:
        self.record(node)
        for target in node.targets:
            if isinstance(target, ast.Name):
                self._attribute(target.id, node, None, node.value)
            elif isinstance(target, ast.Tuple | ast.List):
                self.bind_targets(target, Source(target, node.value, "value"), node.lineno)
            elif isinstance(target, ast.Subscript) and self.class_path is None:
                self._global_item(target, node)

    def _global_item(self, target: ast.Subscript, node: ast.Assign) -> None:
        """`globals()["name"] = value`"""
        call, key = target.value, target.slice
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id in ("globals", "vars", "locals")
            and isinstance(key, ast.Constant)
            and isinstance(key.value, str)
            and key.value.isidentifier()
        ):
            self._attribute(key.value, node, None, node.value)

    def _ann_assign(self, node: ast.AnnAssign) -> None:
        self.record(node)
        if isinstance(node.target, ast.Name):
            self._attribute(node.target.id, node, node.annotation, node.value)

    def _attribute(self, name: str, node: ast.stmt, hint: ast.expr | None, value: ast.expr | None) -> None:
        if name == "__all__" and self.class_path is None:
            self.exports.assign(value)
        shown, term = self._value(value)
        found = AttributeApi(
            name=name,
            line=node.lineno,
            annotation=text(hint) if hint is not None else None,
            type=annotation(hint, self.env),
            value=shown,
            term=term,
            runtime=self._at_run_time,
        )
        self._bind_in_class(name)
        self.namespace.add(name, found, self.branch)

    def _value(self, value: ast.expr | None) -> tuple[str | None, Term | None]:
        if value is None:
            return None, None
        if (value.end_lineno or 0) - value.lineno > MAX_LINES:
            return "...", UNKNOWN
        return short(value), bounded(read(value, self.env), 400)

    def bind_targets(self, target: ast.expr, source: Source, line: int) -> None:
        """Names bound by unpacking, by a loop or by `with`."""
        names = target_names(target)
        if not names:
            return
        parts = Environment(self.module)
        bind_target(target, bounded(read_source(source, self.env)), parts)
        for name in names:
            found = AttributeApi(name, line, term=parts.names.get(name, UNKNOWN), runtime=self._at_run_time)
            self._bind_in_class(name)
            self.namespace.add(name, found, self.branch)

    def _aug_assign(self, node: ast.AugAssign) -> None:
        self.record(node)
        if isinstance(node.target, ast.Name):
            if node.target.id == "__all__" and self.class_path is None:
                self.exports.extend(node.value)
            elif not self.namespace.has(node.target.id):
                self.namespace.add(node.target.id, AttributeApi(node.target.id, node.lineno), self.branch)

    def _expression(self, node: ast.Expr) -> None:
        if self.class_path is None and self._at_run_time and isinstance(node.value, ast.Call):
            self.record(node)
            self.exports.call(node.value)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            for name in target_names(target):
                self.namespace.remove(name, self.branch)

    def _type_alias(self, node: ast.stmt) -> None:
        """`type X = ...`, where the running Python knows it."""
        name, value = node.name.id, node.value  # type: ignore[attr-defined]
        env = Environment(self.module, self.env)
        for parameter in node.type_params:  # type: ignore[attr-defined]
            env.names[parameter.name] = UNKNOWN
        found = AttributeApi(
            name, node.lineno, "TypeAlias", Import("typing.TypeAlias"), short(value), annotation(value, env)
        )
        self.namespace.add(name, found, self.branch)

    def inside(self, body: list[ast.stmt], branch: Branch, *, optional: bool | None = None) -> None:
        """Read a block under a condition."""
        outer, outer_optional = self.branch, self.optional
        self.branch = branch
        self.optional = outer_optional if optional is None else optional
        try:
            self.read(body)
        finally:
            self.branch, self.optional = outer, outer_optional

    def next_branch(self, test: Term = UNKNOWN) -> Branch:
        """A branch of its own inside the current one, and what holds there."""
        self._branches += 1
        if test != UNKNOWN and not (isinstance(test, Decided) and test.test == UNKNOWN):
            self.tests[self._branches] = test
        return (*self.branch, self._branches)


_READERS: dict[type[ast.AST], Callable[[BlockReader, Any], None]] = {
    ast.FunctionDef: BlockReader._function,
    ast.AsyncFunctionDef: BlockReader._function,
    ast.ClassDef: BlockReader._class,
    ast.Import: BlockReader._import,
    ast.ImportFrom: BlockReader._import,
    ast.Assign: BlockReader._assign,
    ast.AnnAssign: BlockReader._ann_assign,
    ast.AugAssign: BlockReader._aug_assign,
    ast.Expr: BlockReader._expression,
    ast.Delete: BlockReader._delete,
    ast.If: branches.read_if,
    ast.Try: branches.read_try,
    ast.For: branches.read_loop,
    ast.AsyncFor: branches.read_loop,
    ast.While: branches.read_loop,
    ast.With: branches.read_with,
    ast.AsyncWith: branches.read_with,
    ast.Match: branches.read_match,
}
for _name, _reader in (("TryStar", branches.read_try), ("TypeAlias", BlockReader._type_alias)):
    if hasattr(ast, _name):
        _READERS[getattr(ast, _name)] = _reader
