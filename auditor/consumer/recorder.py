"""Records uses: what an expression imports, calls, accesses, names in a string, and what is assigned onto things."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from auditor.consumer import indirect
from auditor.consumer.indirect import may_be_filled, replaced_by_name
from auditor.consumer.places import Places
from auditor.consumer.relevance import BUILTINS, Relevance
from auditor.consumer.under import Under
from auditor.consumer.usages import Usages
from auditor.model import Argument, Span, Use, UseKind
from auditor.reading import Conditions, Environment, bind_target, comprehension_scope, read, text
from auditor.spelling import accessed_by_name
from auditor.syntax import children
from auditor.terms import Guard, Import, Member, Name, Term, Unknown, root

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_]\w*)?\Z")
_NOT_PATHS = frozenset(
    {"getLogger", "get_logger", "init_logger", "debug", "info", "warning", "error", "print", "setLevel"}
)
_MAX_TEXT = 300
CHANGING = frozenset({"update", "setdefault", "pop", "clear"})
"""Methods that change a dict."""


class Recorder:
    """Collects the uses of one file.

    Args:
        module: Dotted name of the file's module.
        path: Its path as reported.
        source: Its text.
        interesting: Top-level import names worth recording.
        imports: Global name -> the paths that imports bind to it.
    """

    def __init__(
        self, module: str, path: str, source: str, interesting: frozenset[str], imports: dict[str, list[str]]
    ) -> None:
        self.module = module
        self.places = Places(path, source)
        self.usages = Usages(self.places, lambda: tuple(self.guards))
        self.relevance = Relevance(module, interesting, imports)
        self.starred: frozenset[str] = frozenset()
        """Names that only an `import *` can bring."""
        self.conditions: Conditions = lambda *_: ()
        """Reads what surely holds where a test is true, or false."""
        self.guards: list[Guard] = []
        """Conditions under which the code that is walked runs."""
        self.imported: dict[str, None] = {}
        """Top-level names of all imports."""
        self.changing: list[ast.Call] = []
        """Calls in the last expression whose methods may change a dict."""
        self._uses: list[Use] = []
        self._loose: list[Use] = []

    def finish(self) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """All uses with their usages, and those on receivers of unknown type."""
        uses = tuple(
            msgspec.structs.replace(use, usages=usages) if (usages := self.usages.of(number)) else use
            for number, use in enumerate(self._uses)
        )
        return uses, tuple(self._loose)

    def under(self, guards: Iterable[Guard]) -> Under:
        """What is recorded inside runs under these guards as well, and under those that are added to the list."""
        return Under(self.guards, guards)

    def _use(
        self,
        kind: UseKind,
        node: ast.expr | ast.stmt | ast.alias,
        term: Term,
        scope: str,
        shown: str,
        *,
        name_span: Span | None = None,
        arguments: tuple[Argument, ...] = (),
        alias: str | None = None,
        value: Term | None = None,
    ) -> Use:
        return Use(
            kind,
            self.places.span(node),
            term,
            " ".join(shown.split())[:_MAX_TEXT],
            self.module,
            scope,
            name_span,
            arguments,
            tuple(self.guards),
            alias=alias,
            value=value,
        )

    # what imports bind

    def plain_import(self, node: ast.Import, env: Environment, scope: str) -> None:
        """`import a.b`, `import a.b as c`"""
        for alias in node.names:
            bound = alias.asname or alias.name.split(".", 1)[0]
            env.names[bound] = Import(alias.name if alias.asname else bound)
            self._import(node, alias, alias.name, f"import {alias.name}", bound, scope)

    def from_import(self, node: ast.ImportFrom, source: str, env: Environment, scope: str) -> None:
        """`from a import b as c`"""
        for alias in node.names:
            bound = alias.asname or alias.name
            path = source if alias.name == "*" else f"{source}.{alias.name}"
            if alias.name != "*":
                env.names[bound] = Import(path)
            self._import(node, alias, path, f"from {source} import {alias.name}", bound, scope)

    def _import(
        self, node: ast.Import | ast.ImportFrom, alias: ast.alias, path: str, shown: str, bound: str, scope: str
    ) -> None:
        package = path.split(".", 1)[0]
        self.imported[package] = None
        self.usages.rebound(bound)
        if self.relevance.of_path(package):
            span = self.places.span(node)
            self._uses.append(self._use("import", alias, Import(path), scope, shown, name_span=span, alias=bound))

    # expressions

    def expressions(self, node: ast.AST, env: Environment, scope: str) -> None:
        """Record every expression directly below a statement."""
        for child in children(node):
            if isinstance(child, ast.expr):
                self.expression(child, env, scope)

    def expression(self, node: ast.expr, env: Environment, scope: str, statement: ast.stmt | None = None) -> None:
        """Record the uses inside an expression; `statement` is the one that consumes its value, if any."""
        self.changing = []
        self._visit(node, statement, env, scope)

    def _visit(self, node: ast.AST, parent: ast.AST | None, env: Environment, scope: str) -> None:
        visitor = _VISITORS.get(type(node))
        if visitor is not None:
            visitor(self, node, parent, env, scope)
        else:
            for child in children(node):
                self._visit(child, node, env, scope)

    def _name(self, node: ast.Name, parent: ast.AST | None, env: Environment, scope: str) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        self.usages.read(node, parent)
        if node.id in self.starred and isinstance(term := read(node, env), Name):
            self._uses.append(self._use("attribute", node, term, scope, node.id))

    def _named(self, node: ast.NamedExpr, _: ast.AST | None, env: Environment, scope: str) -> None:
        self._visit(node.value, node, env, scope)
        bind_target(node.target, read(node.value, env), env)
        self.usages.assigned(node.target, node.value)

    def _conditional(self, node: ast.IfExp, _: ast.AST | None, env: Environment, scope: str) -> None:
        self._visit(node.test, node, env, scope)
        for branch, negated in ((node.body, False), (node.orelse, True)):
            with self.under(self.conditions(node.test, env, negated)):
                self._visit(branch, node, env, scope)

    def _comprehension(
        self,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        _: ast.AST | None,
        env: Environment,
        scope: str,
    ) -> None:
        inner = comprehension_scope(node.generators, env)
        with self.under(()) as guards:
            for index, generator in enumerate(node.generators):
                self._visit(generator.iter, generator, env if index == 0 else inner, scope)
                for condition in generator.ifs:
                    self._visit(condition, generator, inner, scope)
                    guards.extend(self.conditions(condition, inner, False))
            for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                self._visit(part, node, inner, scope)

    def _lambda(self, node: ast.Lambda, _: ast.AST | None, env: Environment, scope: str) -> None:
        inner = env.child()
        given = node.args
        starred = [a for a in (given.vararg, given.kwarg) if a is not None]
        for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs, *starred):
            inner.names[parameter.arg] = Unknown("parameter of lambda")
        self._visit(node.body, node, inner, scope)

    def _boolean(self, node: ast.BoolOp, _: ast.AST | None, env: Environment, scope: str) -> None:
        """`hasattr(x, "a") and x.a`: what follows runs only where what precedes held."""
        with self.under(()) as guards:
            for value in node.values:
                self._visit(value, node, env, scope)
                guards.extend(self.conditions(value, env, isinstance(node.op, ast.Or)))

    def _call(self, node: ast.Call, parent: ast.AST | None, env: Environment, scope: str) -> None:
        called = node.func
        function = read(called, env)
        relevant = self.relevance.of(function)
        passed: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        self._indirect(node, function, passed, env, scope)
        filled = not (isinstance(function, Name) and function.name in BUILTINS) and may_be_filled(passed, env)
        if relevant or (isinstance(called, ast.Attribute) and isinstance(root(function), Unknown)):
            arguments = tuple([self._argument(a, env) for a in passed])
            span = self.places.last_name(called)
            use = self._use("call", node, function, scope, text(called), name_span=span, arguments=arguments)
            if relevant:
                self._uses.append(use)
                self.usages.called(node, parent, len(self._uses) - 1)
            else:
                self._loose.append(use)
        self._by_name(node, env, scope)
        if isinstance(called, ast.Attribute):
            if called.attr in CHANGING:
                self.changing.append(node)
            self._accesses(called, read(called, env) if filled else function, env, scope)
        else:
            self._visit(called, node, env, scope)
        for argument in passed:
            self._visit(argument, node, env, scope)

    def _indirect(
        self, node: ast.Call, function: Term, passed: Sequence[ast.expr | ast.keyword], env: Environment, scope: str
    ) -> None:
        """Record what `partial(f, x)` and the like will call."""
        paths = self.relevance.paths(function)
        if len(paths) != 1 or paths[0] not in indirect.FUNCTIONS:
            return
        arguments = tuple(self._argument(a, env) for a in passed)
        found = indirect.target(node, paths[0], arguments, env)
        if found is not None and self.relevance.of(found[0]):
            shown = text(node.args[0])
            span = self.places.last_name(node.args[0])
            use = self._use("call", node, found[0], scope, shown, name_span=span, arguments=found[1])
            self._uses.append(msgspec.structs.replace(use, indirect=True))

    def _argument(self, node: ast.expr | ast.keyword, env: Environment) -> Argument:
        if isinstance(node, ast.keyword):
            value = read(node.value, env)
            return Argument(self.places.span(node), text(node.value), value, node.arg, "" if node.arg else "**")
        if isinstance(node, ast.Starred):
            return Argument(self.places.span(node), text(node.value), read(node.value, env), star="*")
        return Argument(self.places.span(node), text(node), read(node, env))

    def _attribute(self, node: ast.Attribute, _: ast.AST | None, env: Environment, scope: str) -> None:
        if isinstance(node.ctx, ast.Load):
            self._accesses(node, read(node, env), env, scope)
        else:
            self._visit(node.value, node, env, scope)

    def _accesses(self, node: ast.Attribute, term: Term, env: Environment, scope: str) -> None:
        """Every access of `a.b.c`, which is `term`, the longest first, then what is inside."""
        relevant = self.relevance.of(term)
        found = self._uses if relevant else self._loose if isinstance(root(term), Unknown) else None
        while True:
            if found is not None:
                span = self.places.last_name(node)
                found.append(self._use("attribute", node, term, scope, text(node), name_span=span))
            if not (isinstance(node.value, ast.Attribute) and isinstance(term, Member)):
                break
            node, term = node.value, term.of
        self._visit(node.value, node, env, scope)

    def _by_name(self, node: ast.Call, env: Environment, scope: str) -> None:
        """`getattr(of, "name")`, `mock.patch.object(of, "name")`: an access, though the name is a string."""
        found = accessed_by_name(node) or replaced_by_name(node)
        if found is not None and self.relevance.of(term := Member(read(found[0], env), found[1])):
            self._uses.append(self._use("attribute", node, term, scope, f"{text(found[0])}.{found[1]}"))

    def _string(self, node: ast.Constant, parent: ast.AST | None, _: Environment, scope: str) -> None:
        value = node.value
        if not isinstance(value, str):
            return
        if not self.relevance.of_path(value) or not _DOTTED.match(value):
            return
        if isinstance(parent, ast.Call) and text(parent.func).rsplit(".", 1)[-1] in _NOT_PATHS:
            return
        self._uses.append(self._use("string", node, Import(value.replace(":", ".")), scope, value))

    # classes and monkey patches

    def class_definition(self, node: ast.ClassDef, term: Term, env: Environment, scope: str) -> None:
        """A class with bases: a candidate for overrides and abstract methods. Its `arguments` are its methods."""
        if not any(self.relevance.of(read(base, env)) for base in node.bases):
            return
        methods = {
            m.name: self.places.definition_name(m)
            for m in node.body
            if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        spans = tuple(Argument(span, name, Unknown("method"), name) for name, span in methods.items())
        named = self.places.definition_name(node)
        self._uses.append(self._use("class", node, term, scope, node.name, name_span=named, arguments=spans))

    def store(self, target: ast.Attribute, source: ast.expr | None, value: Term, env: Environment, scope: str) -> None:
        """An assignment onto an attribute: `module.f = mine`, `config.x = 1`."""
        self._visit(target.value, target, env, scope)
        term = Member(read(target.value, env), target.attr)
        if self.relevance.of(term):
            alias = text(source) if source is not None else None
            span = self.places.last_name(target)
            use = self._use("patch", target, term, scope, text(target), name_span=span, alias=alias, value=value)
            self._uses.append(use)


_VISITORS: dict[type[ast.AST], Callable[[Recorder, Any, ast.AST | None, Environment, str], None]] = {
    ast.Call: Recorder._call,
    ast.Attribute: Recorder._attribute,
    ast.Name: Recorder._name,
    ast.NamedExpr: Recorder._named,
    ast.ListComp: Recorder._comprehension,
    ast.SetComp: Recorder._comprehension,
    ast.GeneratorExp: Recorder._comprehension,
    ast.DictComp: Recorder._comprehension,
    ast.Lambda: Recorder._lambda,
    ast.BoolOp: Recorder._boolean,
    ast.IfExp: Recorder._conditional,
    ast.Constant: Recorder._string,
}
