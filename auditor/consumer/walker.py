"""The walk over one consumer file: statement by statement, handing every expression to the recorder."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from auditor.api import ClassApi
from auditor.consumer import bindings, branching, definitions, imports
from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.flags import class_definitions, flags
from auditor.consumer.guards import GuardReader, shims
from auditor.consumer.handlers import ran_through
from auditor.consumer.recorder import Recorder
from auditor.reading import Environment, read
from auditor.terms import Guard, Term, global_path


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
    walker = Walker(module, path, source, tree, is_package=is_package, interesting=interesting)
    return walker.run()


class Walker:
    """Follows local names through the statements of one file.

    The rules for each kind of statement stand in the modules `bindings`, `branching` and `definitions`; they come back
    here for the blocks inside.

    Args:
        module: Dotted name of the file's module.
        path: Its path, as reported.
        source: Its text.
        tree: Its syntax tree.
        is_package: Whether the file is an `__init__.py`.
        interesting: Top-level import names worth recording.
    """

    def __init__(
        self, module: str, path: str, source: str, tree: ast.Module, *, is_package: bool, interesting: frozenset[str]
    ) -> None:
        self.module = module
        self.path = path
        self.tree = tree
        self.is_package = is_package
        self.recorder = Recorder(module, path, source, interesting, imports.global_paths(tree, self.absolute))
        self.recorder.starred = imports.star_names(tree, self.absolute, interesting)
        self.replaced = imports.replaced_names(tree)
        self.definitions = {**imports.global_definitions(tree), **class_definitions(tree.body)}
        self.guard_reader = GuardReader(self.definitions.get, self.recorder.paths, self._may_be_of_the_consumer)
        self.recorder.conditions = self.conditions
        self.results: dict[str, Term] = {}
        """Qualified function name -> what it returns."""
        self.attributes: dict[str, dict[str, Term]] = {}
        """Qualified class name -> attribute -> what methods assign to it."""
        self.globals: dict[str, Term] = {}
        """Global name -> what functions assign to it."""
        self.local_classes: dict[str, ClassApi] = {}
        """Classes that functions define, by what they are called."""
        self.in_function = False
        self.shared: set[str] = set()
        """Names that the function whose body is walked declares `global`."""
        self.deferred: list[definitions.Deferred] = []
        self._returns: list[Term] = []

    def run(self) -> FileAnalysis:
        """Walk the whole file: its own statements, then function bodies, for which all global names are bound."""
        env = self.environment()
        self.block(self.tree.body, env, "")
        self.in_function = True
        while self.deferred:
            function = self.deferred.pop(0)
            self.recorder.guards = list(function.guards)
            definitions.function_body(self, function)
        uses, loose = self.recorder.finish()
        return FileAnalysis(
            self.path,
            self.module,
            uses,
            loose,
            self.results,
            self.attributes,
            self.globals,
            self.local_classes,
            flags(self.definitions, self.guard_reader, env),
            tuple(self.recorder.imported),
        )

    def environment(self, outer: Environment | None = None, class_path: str | None = None) -> Environment:
        """A scope of this file."""
        return Environment(self.module, outer, class_path, self.conditions)

    def conditions(self, test: ast.expr, env: Environment, negated: bool = False) -> tuple[Guard, ...]:
        """What surely holds where a test is true, or false."""
        return self.guard_reader.read(test, env, negated=negated)

    def _may_be_of_the_consumer(self, path: str) -> bool:
        return path.split(".", 1)[0] in self.recorder.interesting

    def absolute(self, node: ast.ImportFrom) -> str:
        """The absolute module path of a `from` import of this file."""
        return imports.absolute(node, self.module, is_package=self.is_package)

    def class_term(self, qualified: str) -> Term:
        """The term for a class of this file."""
        return global_path(self.module, qualified)

    def function_block(
        self, body: Sequence[ast.stmt], env: Environment, scope: str, parameters: Sequence[str]
    ) -> list[Term]:
        """Walk a function body; gives what its `return` statements return."""
        self._returns = []
        self.shared = set()
        self.guard_reader.enter(parameters)
        self.recorder.usages.enter()
        self.block(body, env, scope)
        self.recorder.usages.leave()
        self.guard_reader.leave()
        return self._returns

    def block(self, body: Sequence[ast.stmt], env: Environment, scope: str) -> bool:
        """Walk statements in order; returns whether control leaves the block for good."""
        with self.recorder.under(()) as guards:
            for statement in body:
                if self.statement(statement, env, scope):
                    return True
                match statement:
                    case ast.If() if _leaves(statement.body):  # what follows runs only where the test was false
                        guards.extend(self.conditions(statement.test, env, negated=True))
                    case ast.If() if _leaves(statement.orelse):
                        guards.extend(self.conditions(statement.test, env))
                    case ast.If(body=inside) if brought := shims(self.conditions(statement.test, env), inside):
                        guards.append(brought)
                    case ast.Try(handlers=handlers) if handlers and all(_leaves(h.body) for h in handlers):
                        guards.extend(ran_through(statement, env, self.absolute))
                    case ast.Assert():
                        guards.extend(self.conditions(statement.test, env))
                    case _:
                        pass
        return False

    def statement(self, node: ast.stmt, env: Environment, scope: str) -> bool:
        """Walk one statement; returns whether control leaves the block with it."""
        match node:
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                self._leave(node, env, scope)
                return True
            case ast.If():
                return branching.if_(self, node, env, scope)
            case ast.With() | ast.AsyncWith():
                return branching.with_(self, node, env, scope)
            case ast.Try():
                return branching.try_(self, node, env, scope)
            case ast.For() | ast.AsyncFor():
                branching.for_(self, node, env, scope)
            case ast.While():
                branching.while_(self, node, env, scope)
            case ast.Match():
                branching.match_(self, node, env, scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                definitions.function(self, node, env, scope)
            case ast.ClassDef():
                definitions.class_(self, node, env, scope)
            case _:
                self._simple(node, env, scope)
        return False

    def _simple(self, node: ast.stmt, env: Environment, scope: str) -> None:
        """A statement that control only passes through."""
        match node:
            case ast.Import():
                self.recorder.plain_import(node, env, scope)
            case ast.ImportFrom():
                self.recorder.from_import(node, self.absolute(node), env, scope)
            case ast.Assign():
                bindings.assign(self, node, env, scope)
            case ast.AnnAssign():
                bindings.annotated_assign(self, node, env, scope)
            case ast.AugAssign():
                bindings.augmented_assign(self, node, env, scope)
            case ast.Global():
                self.shared.update(node.names)
            case ast.Delete():
                bindings.delete(node, env)
            case ast.Expr():
                self.recorder.expression(node.value, env, scope, node)
                bindings.mutate(node.value, env)
            case ast.Assert():
                self.recorder.expressions(node, env, scope)
                branching.narrow(node.test, env)
            case _:
                for body in imports.blocks(node):  # `except*` groups, which Python 3.10 has no class for
                    self.block(body, env, scope)
                self.recorder.expressions(node, env, scope)

    def _leave(self, node: ast.Return | ast.Raise | ast.Continue | ast.Break, env: Environment, scope: str) -> None:
        if isinstance(node, ast.Return) and node.value is not None:
            self.recorder.expression(node.value, env, scope, node)
            self._returns.append(read(node.value, env))
        else:
            self.recorder.expressions(node, env, scope)


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)
