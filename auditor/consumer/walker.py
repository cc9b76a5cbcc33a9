"""The walk over one consumer file: follows local names through statements and hands every expression to the recorder."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.guards import ATTRIBUTE_ERRORS, CALL_ERRORS, IMPORT_ERRORS, GuardReader, caught
from auditor.consumer.recorder import Recorder
from auditor.model import Guard
from auditor.reading import Environment, annotated, annotation, bind_target, merge, read, text
from auditor.terms import (
    UNKNOWN,
    Element,
    Entered,
    Instance,
    Mapping,
    Member,
    Name,
    Term,
    Unknown,
    bounded,
    choice,
)

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def walk(
    module: str, path: str, source: str, tree: ast.Module, *, is_package: bool, interesting: frozenset[str]
) -> FileAnalysis:
    """Read one consumer file.

    Args:
        module: Its dotted name.
        path: Its path, as reported.
        source: Its decoded text, of which `tree` is the syntax tree.
        tree: The syntax tree.
        is_package: Whether the file is an `__init__.py`.
        interesting: Top-level import names of the providers and of the consumer itself.

    Returns:
        The uses found, and what each function returns and each class sets on itself.
    """
    walker = _Walker(module, path, source, tree, is_package=is_package, interesting=interesting)
    walker.run()
    return walker.finish()


class _Walker:
    def __init__(
        self, module: str, path: str, source: str, tree: ast.Module, *, is_package: bool, interesting: frozenset[str]
    ) -> None:
        self.module = module
        self.path = path
        self.tree = tree
        self.is_package = is_package
        self.globals: dict[str, ast.AST] = {}
        self.recorder = Recorder(module, path, source, interesting, _global_imports(tree, self.absolute))
        self.guard_reader = GuardReader(self.globals.get)
        self.results: dict[str, Term] = {}
        self.attributes: dict[str, dict[str, Term]] = {}
        self.deferred: list[tuple[_Function, Environment, str, tuple[Guard, ...], str | None]] = []
        self.returns: list[Term] = []

    # the whole file

    def run(self) -> None:
        self._collect_globals(self.tree.body)
        env = Environment(self.module)
        self.block(self.tree.body, env, "")
        while self.deferred:
            node, outer, scope, guards, class_path = self.deferred.pop(0)
            self.recorder.guards = list(guards)
            self.function_body(node, outer, scope, class_path)

    def finish(self) -> FileAnalysis:
        uses, loose = self.recorder.finish()
        imports = tuple(self.recorder.imported)
        return FileAnalysis(self.path, self.module, uses, loose, self.results, self.attributes, imports)

    def _collect_globals(self, body: Sequence[ast.stmt]) -> None:
        """What each global name is last defined as: for reading guards through names."""
        for statement in body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        self.globals[target.id] = statement.value
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value:
                self.globals[statement.target.id] = statement.value
            elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self.globals[statement.name] = statement
            elif isinstance(statement, ast.Import):
                for alias in statement.names:
                    self.globals[alias.asname or alias.name.split(".", 1)[0]] = alias
            else:
                for inner in _bodies(statement):
                    self._collect_globals(inner)

    def absolute(self, node: ast.ImportFrom) -> str:
        """The absolute module path of a `from` import."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        base = parts[: len(parts) - node.level + (1 if self.is_package else 0)]
        return ".".join([*base, node.module] if node.module else base)

    # statements

    def block(self, body: Sequence[ast.stmt], env: Environment, scope: str) -> bool:
        """Walk statements in order; returns whether control leaves the block for good."""
        pushed = 0
        left = False
        for statement in body:
            left = self.statement(statement, env, scope)
            if isinstance(statement, ast.If) and not statement.orelse and _leaves(statement.body):
                # what follows an early exit runs only where its test was false
                later = self.guard_reader.read(statement.test, env, negated=True)
                self.recorder.guards.extend(later)
                pushed += len(later)
            if left:
                break
        if pushed:
            del self.recorder.guards[-pushed:]
        return left

    def statement(self, node: ast.stmt, env: Environment, scope: str) -> bool:
        match node:
            case ast.Import():
                self.recorder.plain_import(node, env, scope)
            case ast.ImportFrom():
                self.recorder.from_import(node, self.absolute(node), env, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(node, env, scope, None)
            case ast.ClassDef():
                self.class_(node, env, scope)
            case ast.Assign():
                self.assign(node, env, scope)
            case ast.AnnAssign():
                self.annotated_assign(node, env, scope)
            case ast.AugAssign():
                self.recorder.expression(node.value, env, scope, node)
                if isinstance(node.target, ast.Name) and isinstance(node.op, ast.BitOr):
                    env.names[node.target.id] = merge([env.get(node.target.id), read(node.value, env)])
            case ast.Expr():
                self.recorder.expression(node.value, env, scope, node)
                self.mutation(node.value, env)
            case ast.If():
                return self.if_(node, env, scope)
            case ast.For() | ast.AsyncFor():
                self.recorder.expression(node.iter, env, scope, node)
                bind_target(node.target, Element(read(node.iter, env), isinstance(node, ast.AsyncFor)), env)
                self.recorder.forget(node.target)
                self.branches(env, scope, [node.body], optional=True)
                self.block(node.orelse, env, scope)
            case ast.While():
                self.recorder.expression(node.test, env, scope, node)
                self.branches(env, scope, [node.body], optional=True)
                self.block(node.orelse, env, scope)
            case ast.With() | ast.AsyncWith():
                return self.with_(node, env, scope)
            case ast.Try():
                return self.try_(node, env, scope)
            case ast.Return():
                if node.value is not None:
                    self.recorder.expression(node.value, env, scope, node)
                    self.returns.append(read(node.value, env))
                return True
            case ast.Raise():
                self.recorder.expressions(node, env, scope)
                return True
            case ast.Continue() | ast.Break():
                return True
            case ast.Match():
                self.recorder.expression(node.subject, env, scope)
                for case in node.cases:
                    for pattern in ast.walk(case.pattern):
                        if isinstance(pattern, ast.MatchClass):
                            self.recorder.expression(pattern.cls, env, scope)
                self.branches(env, scope, [case.body for case in node.cases], optional=True)
            case ast.Delete():
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        env.names.pop(target.id, None)
            case ast.Global() | ast.Nonlocal() | ast.Pass():
                pass
            case _:
                if hasattr(ast, "TryStar") and isinstance(node, ast.TryStar):  # except* groups: Python 3.11
                    for body in (node.body, *(h.body for h in node.handlers), node.orelse, node.finalbody):
                        self.block(body, env, scope)
                else:
                    self.recorder.expressions(node, env, scope)
        return False

    def branches(self, env: Environment, scope: str, bodies: Iterable[Sequence[ast.stmt]], *, optional: bool) -> None:
        """Walk alternatives from the same starting point and join what they bind."""
        before = dict(env.names)
        ends: list[dict[str, Term]] = [before] if optional else []
        for body in bodies:
            env.names = dict(before)
            if not self.block(body, env, scope):
                ends.append(env.names)
        env.names = _join(ends) if ends else before

    def if_(self, node: ast.If, env: Environment, scope: str) -> bool:
        self.recorder.expression(node.test, env, scope, node)
        before = dict(env.names)
        ends: list[dict[str, Term]] = []
        for body, negated in ((node.body, False), (node.orelse, True)):
            env.names = dict(before)
            if not negated:
                _narrow(node.test, env)
            elif isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
                _narrow(node.test.operand, env)
            guards = self.guard_reader.read(node.test, env, negated=negated)
            self.recorder.guards.extend(guards)
            if not self.block(body, env, scope):
                ends.append(env.names)
            if guards:
                del self.recorder.guards[-len(guards) :]
        env.names = _join(ends) if ends else before
        return not ends

    def with_(self, node: ast.With | ast.AsyncWith, env: Environment, scope: str) -> bool:
        guards: list[Guard] = []
        for item in node.items:
            self.recorder.expression(item.context_expr, env, scope)
            if item.optional_vars is not None:
                value = Entered(read(item.context_expr, env), isinstance(node, ast.AsyncWith))
                bind_target(item.optional_vars, value, env)
                self.recorder.forget(item.optional_vars)
            call = item.context_expr
            if isinstance(call, ast.Call) and text(call.func).rsplit(".", 1)[-1] == "suppress":
                names = " ".join(text(a).rsplit(".", 1)[-1] for a in call.args)
                guards.append(Guard("swallowed", text(call), name=names))
        self.recorder.guards.extend(guards)
        left = self.block(node.body, env, scope)
        if guards:
            del self.recorder.guards[-len(guards) :]
        return left and not guards

    def try_(self, node: ast.Try, env: Environment, scope: str) -> bool:
        names = caught(node.handlers)
        guards: list[Guard] = []
        reraised = all(_reraises(handler.body) for handler in node.handlers)
        imported = _imported_names(node.body)
        if node.handlers and not reraised:
            shown = ", ".join(sorted(n or "everything" for n in names))
            if names & IMPORT_ERRORS:
                provided = {n for h in node.handlers for n in _bound_names(h.body)}
                real = {n for h in node.handlers for n in _bound_names(h.body, placeholders=False)}
                kind = "import-fallback" if imported and imported <= provided and imported & real else "swallowed"
                guards.append(Guard(kind, f"except {shown}", name="ImportError"))  # type: ignore[arg-type]
            if names & ATTRIBUTE_ERRORS or names & CALL_ERRORS:
                caught_names = sorted(n or "Exception" for n in names)
                guards.append(Guard("swallowed", f"except {shown}", name=" ".join(caught_names)))
        before = dict(env.names)
        self.recorder.guards.extend(guards)
        left = self.block(node.body, env, scope)
        if guards:
            del self.recorder.guards[-len(guards) :]
        if not left:
            left = self.block(node.orelse, env, scope)
        ends = [] if left else [env.names]
        first = next(self.recorder.imports_in(node.body, self.absolute), None)
        for handler in node.handlers:
            env.names = _join([before, *ends])
            if handler.name:
                env.names[handler.name] = UNKNOWN
            if handler.type is not None:
                self.recorder.expression(handler.type, env, scope)
            reached: list[Guard] = []
            if caught([handler]) & IMPORT_ERRORS and first is not None:
                reached.append(
                    Guard("importable", f"except {text(handler.type) if handler.type else ''}", of=first, negated=True)
                )
            self.recorder.guards.extend(reached)
            if not self.block(handler.body, env, scope):
                ends.append(env.names)
            if reached:
                del self.recorder.guards[-len(reached) :]
        env.names = _join(ends) if ends else before
        final = self.block(node.finalbody, env, scope)
        return final or not ends

    # names

    def assign(self, node: ast.Assign, env: Environment, scope: str) -> None:
        self.recorder.expression(node.value, env, scope, node)
        value = read(node.value, env)
        for target in node.targets:
            self.target(target, node.value, value, env, scope)

    def annotated_assign(self, node: ast.AnnAssign, env: Environment, scope: str) -> None:
        self.recorder.expression(node.annotation, env, scope)
        if node.value is not None:
            self.recorder.expression(node.value, env, scope, node)
        declared = annotated(node.annotation, env) or UNKNOWN
        value = read(node.value, env) if node.value is not None else UNKNOWN
        telling = value if isinstance(value, Mapping) else declared
        self.target(node.target, node.value, telling, env, scope)

    def target(self, target: ast.expr, source: ast.expr | None, value: Term, env: Environment, scope: str) -> None:
        """Bind an assignment target; remember attributes set on `self`, keys set on known dicts, monkey patches."""
        if isinstance(target, ast.Name | ast.Tuple | ast.List):
            bind_target(target, value, env)
            self.recorder.assigned(target, source)
            for element in target.elts if isinstance(target, ast.Tuple | ast.List) else ():
                if not isinstance(element, ast.Name):
                    self.recorder.expression(element, env, scope)
        elif isinstance(target, ast.Attribute):
            owner = read(target.value, env)
            if env.class_path and owner == Instance(_class_term(self.module, env.class_path)):
                known = self.attributes.setdefault(env.class_path, {})
                known[target.attr] = bounded(choice([known[target.attr], value]) if target.attr in known else value)
            self.recorder.store(target, source, value, env, scope)
        elif isinstance(target, ast.Subscript):
            self.recorder.expression(target.value, env, scope)
            self.recorder.expression(target.slice, env, scope)
            key = target.slice
            if isinstance(target.value, ast.Name) and isinstance(key, ast.Constant) and isinstance(key.value, str):
                known_dict = env.get(target.value.id)
                if isinstance(known_dict, Mapping):
                    env.names[target.value.id] = merge([known_dict, Mapping(((key.value, value),))])

    def mutation(self, node: ast.expr, env: Environment) -> None:
        """`kw.update(...)`, `kw.setdefault("k", v)`, `kw.pop("k")` on a dict whose keys are known."""
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            return
        name = node.func.value.id
        known = env.get(name)
        if not isinstance(known, Mapping):
            return
        first = node.args[0] if node.args else None
        if node.func.attr == "update":
            parts: list[Term] = [known, *(read(a, env) for a in node.args)]
            parts += [
                read(k.value, env) if k.arg is None else Mapping(((k.arg, read(k.value, env)),)) for k in node.keywords
            ]
            env.names[name] = merge(parts)
        elif isinstance(first, ast.Constant) and isinstance(first.value, str):
            if node.func.attr == "setdefault":
                env.names[name] = merge([Mapping(((first.value, UNKNOWN),)), known])
            elif node.func.attr == "pop":
                env.names[name] = Mapping(tuple(i for i in known.items if i[0] != first.value), known.open)

    # functions and classes

    def function(self, node: _Function, env: Environment, scope: str, class_path: str | None) -> None:
        """Walk decorators, defaults and annotations now, the body once the names around it are complete."""
        for decorator in node.decorator_list:
            self.recorder.expression(decorator, env, scope)
        for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)):
            self.recorder.expression(default, env, scope)
        for argument in _parameters(node.args):
            if argument.annotation is not None:
                self.recorder.expression(argument.annotation, env, scope)
        if node.returns is not None:
            self.recorder.expression(node.returns, env, scope)
        qualified = f"{scope}.{node.name}" if scope else node.name
        outer = env if (scope and class_path is None) else Environment(self.module)
        if class_path is not None and "." in class_path:
            outer = env.outer or outer
        if scope and class_path is None:
            env.names[node.name] = Unknown("local function")
        self.deferred.append((node, outer, qualified, tuple(self.recorder.guards), class_path))

    def function_body(self, node: _Function, outer: Environment, scope: str, class_path: str | None) -> None:
        env = Environment(self.module, outer, class_path)
        static = any(text(d).endswith("staticmethod") for d in node.decorator_list)
        as_class = any(text(d).endswith("classmethod") for d in node.decorator_list) or node.name in (
            "__new__",
            "__init_subclass__",
        )
        for index, argument in enumerate(_parameters(node.args)):
            term = annotated(argument.annotation, env) or Unknown("parameter without annotation")
            if class_path is not None and index == 0 and not static and argument.annotation is None:
                cls = _class_term(self.module, class_path)
                term = cls if as_class else Instance(cls)
            env.names[argument.arg] = term
        if node.args.vararg:
            env.names[node.args.vararg.arg] = Unknown("*args")
        if node.args.kwarg:
            env.names[node.args.kwarg.arg] = Mapping((), open=True)
        outer_returns, self.returns = self.returns, []
        self.recorder.enter()
        self.block(node.body, env, scope)
        self.recorder.leave()
        if self.returns and not _is_generator(node):
            self.results[scope] = bounded(choice(self.returns))
        self.returns = outer_returns

    def class_(self, node: ast.ClassDef, env: Environment, scope: str) -> None:
        for expression in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.recorder.expression(expression, env, scope)
        qualified = f"{scope}.{node.name}" if scope else node.name
        at_top = "<locals>" not in qualified and not (scope and env.class_path is None)
        if at_top:
            self.recorder.class_definition(node, _class_term(self.module, qualified), env, scope)
        inner = Environment(self.module, env, qualified if at_top else None)
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self.function(statement, inner, qualified, qualified if at_top else "")
            else:
                self.statement(statement, inner, qualified)
        if scope:
            env.names[node.name] = _class_term(self.module, qualified) if at_top else Unknown("local class")


def _class_term(module: str, qualified: str) -> Term:
    first, *rest = qualified.split(".")
    term: Term = Name(module, first)
    for part in rest:
        term = Member(term, part)
    return term


def _parameters(arguments: ast.arguments) -> list[ast.arg]:
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _bodies(statement: ast.stmt) -> Iterable[list[ast.stmt]]:
    """The blocks inside a compound statement that run in the same scope."""
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(statement, field, None)
        if isinstance(inner, list) and not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield inner
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _global_imports(tree: ast.Module, absolute: object) -> dict[str, list[str]]:
    """Every path that an import outside functions binds to a name, alternatives included."""
    found: dict[str, list[str]] = {}

    def collect(body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    name = alias.asname or alias.name.split(".", 1)[0]
                    found.setdefault(name, []).append(alias.name if alias.asname else name)
            elif isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    source = absolute(statement)  # type: ignore[operator]
                    found.setdefault(alias.asname or alias.name, []).append(f"{source}.{alias.name}")
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name) and target.id in found:
                        found[target.id].append("")
            for inner in _bodies(statement):
                collect(inner)

    collect(tree.body)
    return found


def _join(ends: Sequence[dict[str, Term]]) -> dict[str, Term]:
    """The bindings after branches meet: dicts keep the keys of every branch, other values become choices."""
    if len(ends) == 1:
        return ends[0]
    names: dict[str, None] = {}
    for end in ends:
        names.update(dict.fromkeys(end))
    joined: dict[str, Term] = {}
    for name in names:
        values = list(dict.fromkeys(end[name] for end in ends if name in end))
        if len(values) > 1 and all(isinstance(v, Mapping) for v in values):
            joined[name] = merge(values)
        else:
            joined[name] = bounded(choice(values))
    return joined


def _narrow(test: ast.expr, env: Environment) -> None:
    """`isinstance(x, T)` makes `x` a `T` in the branch."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            _narrow(value, env)
    if (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id == "isinstance"
        and len(test.args) == 2
        and isinstance(test.args[0], ast.Name)
    ):
        types = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
        terms = [annotation(t, env) or UNKNOWN for t in types]
        env.names[test.args[0].id] = choice([Instance(t) for t in terms])


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _reraises(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)


def _imported_names(body: Sequence[ast.stmt]) -> set[str]:
    return {
        alias.asname or alias.name.split(".", 1)[0]
        for statement in body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for alias in statement.names
    }


def _bound_names(body: Sequence[ast.stmt], *, placeholders: bool = True) -> set[str]:
    """Names that a block binds; without `placeholders`, those set to None, a constant or an empty object do not count."""
    names = set(_imported_names(body))
    for statement in body:
        if isinstance(statement, ast.Assign):
            if placeholders or not isinstance(statement.value, ast.Constant):
                names.update(t.id for t in statement.targets if isinstance(t, ast.Name))
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        else:
            for inner in _bodies(statement):
                names |= _bound_names(inner, placeholders=placeholders)
    return names


def _is_generator(node: _Function) -> bool:
    stack: list[ast.AST] = list(node.body)
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(current, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            stack.extend(ast.iter_child_nodes(current))
    return False
