"""Names that a module serves without binding them: `__getattr__`, lazy tables, `sys.modules` replacements."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from auditor.api import AttributeApi, ClassApi, Reexport
from auditor.provider.blocks import BlockReader
from auditor.provider.bringing import LAZY
from auditor.provider.calls import call_value, makes_object, parameters
from auditor.provider.constructors.syntax import last_name
from auditor.provider.evaluation import MAX_STEPS, Calls, Evaluator
from auditor.provider.flags import asks_environment
from auditor.provider.getattrs import NOBODY, Getattr, makes_getattr
from auditor.provider.offers import MAX_NAMES, LazyNames, Offers
from auditor.provider.scopes import imported
from auditor.provider.values import UNKNOWN, Globals, Missing, Ref, Structure


def read_lazy(blocks: BlockReader, code: str) -> LazyNames:
    """Evaluate a module's lazy tables, where its text has any of the marks of such."""
    if not any(mark in code for mark in LAZY):
        return LazyNames({})
    try:
        return Tables(blocks).result()
    except RecursionError:
        return LazyNames({}, is_open=True)


class Tables:
    """Follows the statements of one module that fill and serve tables."""

    def __init__(self, blocks: BlockReader, calls: Calls = call_value) -> None:
        self.blocks = blocks
        self.helpers: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.getattrs: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
        self.globals = {
            name for name, found in blocks.namespace.entries.items() if any(d.runtime for _, d in found)
        } - {"__getattr__"}
        imports = {
            name: definition.path
            for name, found in blocks.namespace.entries.items()
            for _, definition in found
            if isinstance(definition, Reexport)
        }
        self.evaluator = Evaluator(blocks.module, blocks.package, self.globals.__contains__, imports, calls)
        self.offers = Offers(blocks, self.globals, self.evaluator)

    def result(self) -> LazyNames:
        """What the module serves."""
        for statement in self.blocks.executed:
            with suppress(Missing):
                self._run(statement, {})
        for function in self.getattrs:
            self._serve(function)
        if "__getattr__" in self.blocks.namespace.entries and not self.getattrs and not self.offers.exports:
            self.offers.is_open |= self._has_other_getattr()
        return self.offers.result()

    def _has_other_getattr(self) -> bool:
        """Whether `__getattr__` is something else than a function of this module."""
        found = self.blocks.namespace.entries["__getattr__"]
        return any(d.runtime and isinstance(d, AttributeApi | Reexport | ClassApi) for _, d in found)

    def _run(self, node: ast.stmt, names: dict[str, Any]) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name == "__getattr__":
                self.getattrs = [node]
            elif makes_getattr(node):
                self.helpers[node.name] = node
            elif asks_environment(node):
                self.evaluator.variables.clear()
                answer = Getattr(node, self.evaluator, self.blocks.package).ask(UNKNOWN)
                self.offers.preset(f"{node.name}()", answer.value)
        elif isinstance(node, ast.Assign):
            self._assign(node.targets, node.value, names)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._assign([node.target], node.value, names)
        elif isinstance(node, ast.AugAssign):
            self._add(node, names)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._loop(node, names)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self.evaluator.bound.update({name: Ref(path) for name, path in imported(node, self.blocks.package)})
        elif isinstance(node, ast.If):
            truth = self.evaluator.truth(self.evaluator.value(node.test, names))
            self._run_all(node.orelse if truth is False else node.body, names)
        elif isinstance(node, ast.Try | ast.With):
            self._run_all(node.body, names)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self._call(node.value, names)

    def _run_all(self, body: list[ast.stmt], names: dict[str, Any]) -> None:
        for node in body:
            self._run(node, names)

    def _assign(self, targets: list[ast.expr], source: ast.expr, names: dict[str, Any]) -> None:
        self.evaluator.variables.clear()
        value = self.evaluator.value(source, names)
        for target in targets:
            if isinstance(target, ast.Name):
                self.offers.preset(target.id, value)
            self._store(target, value, source, names)

    def _store(self, target: ast.expr, value: Any, source: ast.expr, names: dict[str, Any]) -> None:
        if isinstance(target, ast.Name):
            if target.id == "__getattr__":
                self._attach(source)
            elif names:
                names[target.id] = value
            self.evaluator.bound[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            if any(isinstance(e, ast.Name) and e.id == "__getattr__" for e in target.elts):
                self._attach(source)
                return
            self.evaluator.bind(target, value, self.evaluator.bound)
        elif isinstance(target, ast.Subscript):
            of, key = self.evaluator.value(target.value, names), self.evaluator.value(target.slice, names)
            if isinstance(of, dict):
                of[key if isinstance(key, str) else UNKNOWN] = value
            elif isinstance(of, Globals):
                if not makes_object(source):  # made one by one, they stand in for what is gone
                    self.offers.bind(key, value)
            elif isinstance(of, Ref) and of.path == "sys.modules" and key == self.blocks.module:
                self._replace(value, source)
        elif isinstance(target, ast.Attribute) and isinstance(self.evaluator.value(target.value, names), Globals):
            if target.attr == "__class__":
                self.offers.is_open = True
            else:
                self.offers.bind(target.attr, value)

    def _add(self, node: ast.AugAssign, names: dict[str, Any]) -> None:
        if not isinstance(node.op, ast.Add | ast.BitOr):
            return
        of, added = self.evaluator.value(node.target, names), self.evaluator.value(node.value, names)
        if isinstance(of, list):
            self.evaluator.extend(of, added)
        elif isinstance(of, dict):
            of.update(added if isinstance(added, dict) else {UNKNOWN: UNKNOWN})

    def _loop(self, node: ast.For | ast.AsyncFor, names: dict[str, Any]) -> None:
        items = self.evaluator.items(self.evaluator.value(node.iter, names))
        for item in ([UNKNOWN] if items is None else items)[:MAX_NAMES]:
            if self.evaluator.steps > MAX_STEPS:
                self.offers.is_open = True
                return
            inner = dict(names)
            self.evaluator.bind(node.target, item, inner)
            with suppress(Missing):
                self._run_all(node.body, inner)

    def _call(self, call: ast.Call, names: dict[str, Any]) -> None:
        function = call.func
        if isinstance(function, ast.Name) and function.id == "setattr" and len(call.args) == 3:
            if isinstance(self.evaluator.value(call.args[0], names), Globals):
                self.offers.bind(*[self.evaluator.value(a, names) for a in call.args[1:]])
        elif isinstance(function, ast.Attribute) and function.attr == "update":
            if not isinstance(self.evaluator.value(function.value, names), Globals):
                self.evaluator.value(call, names)
                return
            for argument in call.args:
                added = self.evaluator.value(argument, names)
                for key, value in added.items() if isinstance(added, dict) else [(UNKNOWN, UNKNOWN)]:
                    self.offers.bind(key, value)
            for keyword in call.keywords:
                self.offers.bind(keyword.arg or UNKNOWN, self.evaluator.value(keyword.value, names))
        else:
            self._handed_on(call, names)

    def _handed_on(self, call: ast.Call, names: dict[str, Any]) -> None:
        """`lazy_import(globals(), aliases={"name": ".module"})`: a helper that serves the names of a table."""
        values = [self.evaluator.value(a, names) for a in (*call.args, *(k.value for k in call.keywords))]
        if self.blocks.module in values and makes_object(call):
            self._replace(UNKNOWN, call)  # it takes the module's place by itself
        if not any(isinstance(value, Globals) for value in values):
            self.evaluator.value(call, names)
            return
        for table in (value for value in values if isinstance(value, dict)):
            for name, module in table.items():
                if (
                    isinstance(name, str)
                    and isinstance(module, str)
                    and name.isidentifier()
                    and name not in self.globals
                ):
                    path = self.evaluator.absolute(module, self.blocks.package)
                    self.offers.offer(name, path if path.endswith(f".{name}") else f"{path}.{name}")

    def _replace(self, value: Any, source: ast.expr) -> None:
        """`sys.modules[__name__] = value`"""
        if isinstance(value, Ref):
            self.offers.wildcards.append(value.path)
        tables: list[Any] = []
        if isinstance(source, ast.Call):
            tables = [self.evaluator.value(a, {}) for a in [*source.args, *[k.value for k in source.keywords]]]
        table = next((t for t in tables if isinstance(t, dict | Structure)), None)
        if isinstance(table, Structure):
            self.offers.structure(table)
        elif isinstance(table, dict):
            self.offers.table(table)
        else:
            self.offers.is_open = True

    def _attach(self, source: ast.expr) -> None:
        """`__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules, submod_attrs)`"""
        if not isinstance(source, ast.Call) or last_name(source.func) != "attach":
            self.getattrs = []
            self.offers.is_open = not (isinstance(source, ast.Call) and self._made(source))
            return
        given = dict(zip(("package_name", "submodules", "submod_attrs"), source.args, strict=False))
        given.update({k.arg: k.value for k in source.keywords if k.arg is not None})
        submodules = self.evaluator.value(given["submodules"], {}) if "submodules" in given else []
        table = self.evaluator.value(given["submod_attrs"], {}) if "submod_attrs" in given else {}
        for name in self.evaluator.items(submodules) or []:
            if isinstance(name, str):
                self.offers.offer(name, f"{self.blocks.module}.{name}")
        if isinstance(table, dict):
            self.offers.table(table)
        if not isinstance(table, dict) or not isinstance(submodules, list):
            self.offers.is_open |= table is not None and submodules is not None
        self.offers.exports = tuple(sorted(self.offers.names))

    def _made(self, call: ast.Call) -> bool:
        """Whether a helper of this module makes `__getattr__`: a function inside it, which sees what that one does."""
        helper = self.helpers.get(call.func.id) if isinstance(call.func, ast.Name) else None
        given = parameters(self.evaluator, helper, call) if helper is not None else None
        if helper is None or given is None:
            return False
        self.evaluator.bound.update(given)
        self._run_all(helper.body, {})
        return True

    def _serve(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Ask a module's `__getattr__` for each name that it compares with or looks up, and for one that nobody has."""
        answers = Getattr(function, self.evaluator, self.blocks.package)
        nobody = answers.ask(NOBODY)
        for path in nobody.paths:
            prefix, _, last = path.rpartition(".")
            if last != NOBODY:
                self.offers.is_open = True
            elif prefix != self.blocks.module:
                self.offers.wildcards.append(prefix)
        self.offers.is_open |= nobody.is_unknown
        for name in list(self.evaluator.asked)[:MAX_NAMES]:
            if not name.isidentifier() or name in self.globals:
                continue
            if self.evaluator.steps > MAX_STEPS:
                self.offers.is_open = True
                return
            self.evaluator.variables.clear()
            answer = answers.ask(name)
            self.offers.preset(name, answer.value)
            if answer.paths or answer.is_unknown:
                self.offers.offer(name, answer.paths[0] if answer.paths else "")
                if answer.deprecated is not None:
                    self.offers.deprecated[name] = answer.deprecated
