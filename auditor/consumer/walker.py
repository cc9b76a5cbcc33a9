"""The walk over one consumer file: statement by statement, handing every expression to the recorder."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from auditor.api import ClassApi
from auditor.consumer import bindings, branching, definitions, imports
from auditor.consumer.analysis import FileAnalysis
from auditor.consumer.flags import class_definitions, flags
from auditor.consumer.guards import GuardReader, shims
from auditor.consumer.handlers import ran_through, set_once
from auditor.consumer.recorder import Recorder
from auditor.reading import Environment, read
from auditor.syntax import lines_with
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
        self.yields = lines_with(source, "yield")
        self.definitions = {**imports.global_definitions(tree), **class_definitions(tree.body)}
        self.guard_reader = GuardReader(
            self.definitions.get, self.recorder.relevance.paths, self.recorder.relevance.of_path
        )
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

    @cached_property
    def replaced(self) -> frozenset[str]:
        """Names in place of which something else is done where they are None."""
        return imports.replaced_names(self.tree)

    @cached_property
    def set_once(self) -> frozenset[str]:
        """Names that are bound once, but for being set to False or None."""
        return set_once(self.tree)

    def environment(self, outer: Environment | None = None, class_path: str | None = None) -> Environment:
        """A scope of this file."""
        return Environment(self.module, outer, class_path, self.conditions)

    def conditions(self, test: ast.expr, env: Environment, negated: bool = False) -> tuple[Guard, ...]:
        """What surely holds where a test is true, or false."""
        return self.guard_reader.read(test, env, negated=negated)

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
        return bool(_STATEMENTS.get(type(node), Walker._other)(self, node, env, scope))

    def _import(self, node: ast.Import, env: Environment, scope: str) -> None:
        self.recorder.plain_import(node, env, scope)

    def _from_import(self, node: ast.ImportFrom, env: Environment, scope: str) -> None:
        self.recorder.from_import(node, self.absolute(node), env, scope)

    def _global(self, node: ast.Global, _: Environment, __: str) -> None:
        self.shared.update(node.names)

    def _delete(self, node: ast.Delete, env: Environment, _: str) -> None:
        bindings.delete(node, env)

    def _expression(self, node: ast.Expr, env: Environment, scope: str) -> None:
        self.recorder.expression(node.value, env, scope, node)
        bindings.mutate(self.recorder.changing, env)

    def _assert(self, node: ast.Assert, env: Environment, scope: str) -> None:
        self.recorder.expressions(node, env, scope)
        branching.narrow(node.test, env)

    def _other(self, node: ast.stmt, env: Environment, scope: str) -> None:
        for body in imports.blocks(node):  # `except*` groups, which Python 3.10 has no class for
            self.block(body, env, scope)
        self.recorder.expressions(node, env, scope)

    def _return(self, node: ast.Return, env: Environment, scope: str) -> bool:
        if node.value is not None:
            self.recorder.expression(node.value, env, scope, node)
            self._returns.append(read(node.value, env))
        return True

    def _leave(self, node: ast.Raise | ast.Continue | ast.Break, env: Environment, scope: str) -> bool:
        self.recorder.expressions(node, env, scope)
        return True


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


_STATEMENTS: dict[type[ast.stmt], Callable[[Walker, Any, Environment, str], bool | None]] = {
    ast.Return: Walker._return,
    ast.Raise: Walker._leave,
    ast.Continue: Walker._leave,
    ast.Break: Walker._leave,
    ast.If: branching.if_,
    ast.With: branching.with_,
    ast.AsyncWith: branching.with_,
    ast.Try: branching.try_,
    ast.For: branching.for_,
    ast.AsyncFor: branching.for_,
    ast.While: branching.while_,
    ast.Match: branching.match_,
    ast.FunctionDef: definitions.function,
    ast.AsyncFunctionDef: definitions.function,
    ast.ClassDef: definitions.class_,
    ast.Import: Walker._import,
    ast.ImportFrom: Walker._from_import,
    ast.Assign: bindings.assign,
    ast.AnnAssign: bindings.annotated_assign,
    ast.AugAssign: bindings.augmented_assign,
    ast.Global: Walker._global,
    ast.Delete: Walker._delete,
    ast.Expr: Walker._expression,
    ast.Assert: Walker._assert,
}
"""What is done with each kind of statement; it gives true where control leaves the block for good."""
