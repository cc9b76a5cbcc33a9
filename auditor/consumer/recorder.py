"""Records uses: what an expression imports, calls, accesses, and what is done with the values it gets."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Sequence

from auditor.consumer.places import Places
from auditor.model import Argument, Guard, Usage, Use, UseKind
from auditor.reading import Environment, bind_target, comprehension_scope, read, text
from auditor.terms import Import, Member, Name, Term, Unknown, root, roots

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_]\w*)?\Z")
_NOT_PATHS = frozenset(
    {"getLogger", "get_logger", "init_logger", "debug", "info", "warning", "error", "print", "setLevel"}
)
_MAX_TEXT = 300


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
        self.interesting = interesting
        self.foreign = (frozenset(dir(builtins)) - imports.keys()) | {
            name for name, paths in imports.items() if all(p and p.split(".", 1)[0] not in interesting for p in paths)
        }
        self.guards: list[Guard] = []
        self._drafts: list[tuple[Use, list[Usage]]] = []
        self._loose: list[Use] = []
        self._calls: dict[int, int] = {}
        self._sources: list[dict[str, list[int]]] = [{}]
        self._parents: dict[int, ast.AST] = {}
        self.imported: dict[str, None] = {}
        """Top-level names of all imports."""

    def finish(self) -> tuple[tuple[Use, ...], tuple[Use, ...]]:
        """All uses with their usages, and those on receivers of unknown type."""
        uses = []
        for use, usages in self._drafts:
            fields = {name: getattr(use, name) for name in use.__struct_fields__}
            fields["usages"] = tuple(usages)
            uses.append(Use(**fields) if usages else use)
        return tuple(uses), tuple(self._loose)

    def enter(self) -> None:
        """A function body begins: its variables are its own."""
        self._sources.append({})

    def leave(self) -> None:
        """A function body ends."""
        self._sources.pop()

    # what matters

    def _relevant(self, term: Term) -> bool:
        return any(self._is_ours(start) for start in roots(term))

    def _is_ours(self, start: Term) -> bool:
        match start:
            case Import(path):
                return path.split(".", 1)[0] in self.interesting
            case Name(module, name):
                return module == self.module and name not in self.foreign
            case _:
                return False

    def _add(
        self, kind: UseKind, node: ast.expr | ast.stmt | ast.alias, term: Term, scope: str, shown: str, **more: object
    ) -> int:
        use = Use(
            kind,
            self.places.span(node),
            term,
            shown[:_MAX_TEXT],
            self.module,
            scope,
            guards=tuple(self.guards),
            **more,  # type: ignore[arg-type]
        )
        self._drafts.append((use, []))
        return len(self._drafts) - 1

    # imports

    def plain_import(self, node: ast.Import, env: Environment, scope: str) -> None:
        """`import a.b`, `import a.b as c`"""
        for alias in node.names:
            bound = alias.asname or alias.name.split(".", 1)[0]
            env.names[bound] = Import(alias.name if alias.asname else bound)
            self._sources[-1].pop(bound, None)
            self.imported[alias.name.split(".", 1)[0]] = None
            if alias.name.split(".", 1)[0] in self.interesting:
                shown = f"import {alias.name}"
                self._add(
                    "import", alias, Import(alias.name), scope, shown, alias=bound, name_span=self.places.span(node)
                )

    def from_import(self, node: ast.ImportFrom, source: str, env: Environment, scope: str) -> None:
        """`from a import b as c`"""
        self.imported[source.split(".", 1)[0]] = None
        for alias in node.names:
            bound = alias.asname or alias.name
            path = source if alias.name == "*" else f"{source}.{alias.name}"
            if alias.name != "*":
                env.names[bound] = Import(path)
                self._sources[-1].pop(bound, None)
            if source.split(".", 1)[0] in self.interesting:
                shown = f"from {source} import {alias.name}"
                self._add("import", alias, Import(path), scope, shown, alias=bound, name_span=self.places.span(node))

    def imports_in(self, body: Sequence[ast.stmt], absolute: Callable[[ast.ImportFrom], str]) -> Iterator[Term]:
        """The import paths that a block asks for, in order."""
        for statement in body:
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    yield Import(alias.name)
            elif isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    yield Import(f"{absolute(statement)}.{alias.name}")

    # expressions

    def expressions(self, node: ast.AST, env: Environment, scope: str) -> None:
        """Record every expression directly below a statement."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expression(child, env, scope)

    def expression(self, node: ast.expr, env: Environment, scope: str, statement: ast.stmt | None = None) -> None:
        """Record the uses inside an expression; `statement` is the one that consumes its value, if any."""
        self._visit(node, statement, env, scope)

    def _visit(self, node: ast.AST, parent: ast.AST | None, env: Environment, scope: str) -> None:
        if parent is not None:
            self._parents[id(node)] = parent
        match node:
            case ast.Call():
                self._call(node, env, scope)
                self._visit(node.func, node, env, scope)
                for argument in (*node.args, *node.keywords):
                    self._visit(argument, node, env, scope)
            case ast.Attribute():
                self._attribute(node, env, scope)
                self._visit(node.value, node, env, scope)
            case ast.Name():
                if isinstance(node.ctx, ast.Load):
                    self._variable(node)
            case ast.NamedExpr():
                self._visit(node.value, node, env, scope)
                bind_target(node.target, read(node.value, env), env)
                self.assigned(node.target, node.value)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for generator in node.generators:
                    self._parents[id(generator.iter)] = generator
                inner = comprehension_scope(node.generators, env)
                for index, generator in enumerate(node.generators):
                    self._visit(generator.iter, generator, env if index == 0 else inner, scope)
                    for condition in generator.ifs:
                        self._visit(condition, generator, inner, scope)
                for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                    self._visit(part, node, inner, scope)
            case ast.Lambda():
                inner = env.child()
                for argument in (
                    *node.args.posonlyargs,
                    *node.args.args,
                    *node.args.kwonlyargs,
                    node.args.vararg,
                    node.args.kwarg,
                ):
                    if argument is not None:
                        inner.names[argument.arg] = Unknown("parameter of lambda")
                self._visit(node.body, node, inner, scope)
            case ast.BoolOp():
                self._boolean(node, env, scope)
            case ast.IfExp():
                self._visit(node.test, node, env, scope)
                self._visit(node.body, node, env, scope)
                self._visit(node.orelse, node, env, scope)
            case ast.Constant(value=str() as value):
                self._string(node, value, parent, scope)
            case _:
                for child in ast.iter_child_nodes(node):
                    self._visit(child, node, env, scope)

    def _boolean(self, node: ast.BoolOp, env: Environment, scope: str) -> None:
        """`hasattr(x, "a") and x.a`: what follows runs only where what precedes held."""
        pushed = 0
        for value in node.values:
            self._visit(value, node, env, scope)
            if isinstance(node.op, ast.And) and isinstance(value, ast.Call) and text(value.func) == "hasattr":
                name = value.args[1] if len(value.args) == 2 else None
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    self.guards.append(Guard("hasattr", text(value), name=name.value, of=read(value.args[0], env)))
                    pushed += 1
        if pushed:
            del self.guards[-pushed:]

    def _call(self, node: ast.Call, env: Environment, scope: str) -> None:
        function = read(node.func, env)
        relevant = self._relevant(function)
        arguments = tuple(self._argument(a, env) for a in (*node.args, *node.keywords))
        if not relevant:
            if isinstance(node.func, ast.Attribute) and isinstance(root(function), Unknown):
                self._loose.append(self._use("call", node, function, scope, text(node.func), node.func, arguments))
            return
        self._drafts.append((self._use("call", node, function, scope, text(node.func), node.func, arguments), []))
        index = len(self._drafts) - 1
        self._calls[id(node)] = index
        self._record_usage(node, [index])

    def _use(
        self,
        kind: UseKind,
        node: ast.expr,
        term: Term,
        scope: str,
        shown: str,
        named: ast.expr,
        arguments: tuple[Argument, ...] = (),
    ) -> Use:
        return Use(
            kind,
            self.places.span(node),
            term,
            " ".join(shown.split())[:_MAX_TEXT],
            self.module,
            scope,
            self.places.last_name(named),
            arguments,
            tuple(self.guards),
        )

    def _argument(self, node: ast.expr | ast.keyword, env: Environment) -> Argument:
        if isinstance(node, ast.keyword):
            value = read(node.value, env)
            return Argument(self.places.span(node), text(node.value), value, node.arg, "" if node.arg else "**")
        if isinstance(node, ast.Starred):
            return Argument(self.places.span(node), text(node.value), read(node.value, env), star="*")
        return Argument(self.places.span(node), text(node), read(node, env))

    def _attribute(self, node: ast.Attribute, env: Environment, scope: str) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        term = read(node, env)
        if self._relevant(term):
            self._drafts.append((self._use("attribute", node, term, scope, text(node), node), []))
        elif isinstance(root(term), Unknown):
            self._loose.append(self._use("attribute", node, term, scope, text(node), node))

    def _string(self, node: ast.Constant, value: str, parent: ast.AST | None, scope: str) -> None:
        if not (_DOTTED.match(value) and value.split(".", 1)[0] in self.interesting):
            return
        if isinstance(parent, ast.Call) and text(parent.func).rsplit(".", 1)[-1] in _NOT_PATHS:
            return
        self._add("string", node, Import(value.replace(":", ".")), scope, value)

    # classes and monkey patches

    def class_definition(self, node: ast.ClassDef, term: Term, env: Environment, scope: str) -> None:
        """A class with bases: a candidate for overrides and abstract methods."""
        if any(self._relevant(read(base, env)) for base in node.bases):
            index = self._add("class", node, term, scope, node.name, name_span=self.places.definition_name(node))
            methods = {
                m.name: self.places.definition_name(m)
                for m in node.body
                if isinstance(m, ast.FunctionDef | ast.AsyncFunctionDef)
            }
            use, usages = self._drafts[index]
            spans = tuple(Argument(span, name, Unknown("method"), name) for name, span in methods.items())
            fields = {f: getattr(use, f) for f in use.__struct_fields__} | {"arguments": spans}
            self._drafts[index] = (Use(**fields), usages)

    def store(self, target: ast.Attribute, source: ast.expr | None, value: Term, env: Environment, scope: str) -> None:
        """An assignment onto an attribute: `module.f = mine`, `config.x = 1`."""
        self._visit(target.value, target, env, scope)
        term = Member(read(target.value, env), target.attr)
        if self._relevant(term):
            use = self._use("patch", target, term, scope, text(target), target)
            fields = {f: getattr(use, f) for f in use.__struct_fields__}
            fields["value"] = value
            fields["alias"] = text(source) if source is not None else None
            self._drafts.append((Use(**fields), []))

    # what becomes of a value

    def assigned(self, target: ast.expr, source: ast.expr | None) -> None:
        """Remember which call a variable holds the result of."""
        self.forget(target)
        inner = source.value if isinstance(source, ast.Await) else source
        index = self._calls.get(id(inner)) if inner is not None else None
        if index is None:
            return
        if isinstance(target, ast.Name):
            self._sources[-1][target.id] = [index]
        elif isinstance(target, ast.Tuple | ast.List):
            star = any(isinstance(e, ast.Starred) for e in target.elts)
            count = f"{len(target.elts)}{'+' if star else ''}"
            self._drafts[index][1].append(Usage("unpack", count, self.places.span(target)))

    def forget(self, target: ast.expr) -> None:
        """A name is bound to something else."""
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self._sources[-1].pop(node.id, None)

    def _variable(self, node: ast.Name) -> None:
        if indexes := self._sources[-1].get(node.id):
            self._record_usage(node, indexes)

    def _record_usage(self, node: ast.expr, indexes: Sequence[int]) -> None:
        if (usage := self._usage(node)) is not None:
            for index in indexes:
                usages = self._drafts[index][1]
                if usage not in usages and len(usages) < 40:
                    usages.append(usage)

    def _usage(self, node: ast.expr) -> Usage | None:
        parent = self._parents.get(id(node))
        span = self.places.span(node)
        match parent:
            case ast.Subscript(value=value) if value is node:
                return Usage("subscript", text(parent.slice), self.places.span(parent))
            case ast.Attribute():
                return Usage("attribute", parent.attr, self.places.span(parent))
            case ast.Await():
                return Usage("await", "", self.places.span(parent))
            case ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
                return Usage("truth", "", span)
            case ast.IfExp(test=test) if test is node:
                return Usage("truth", "", span)
            case ast.Compare():
                is_none = any(isinstance(c, ast.Constant) and c.value is None for c in parent.comparators)
                return Usage("none-test", "", span) if is_none else None
            case ast.comprehension():
                return Usage("iterate", "", span)
            case ast.Call() | ast.keyword():
                called = text(parent.func) if isinstance(parent, ast.Call) else ""
                return (
                    Usage("iterate", called, span)
                    if called in ("list", "tuple", "sorted", "set")
                    else Usage("argument", called, span)
                )
            case ast.For() | ast.AsyncFor():
                return Usage("iterate", "", span)
            case ast.If() | ast.While() | ast.Assert():
                return Usage("truth", "", span)
            case ast.Return():
                return Usage("return", "", span)
            case ast.Expr():
                return Usage("discard", "", span)
            case _:
                return None
