"""The scopes of one file: what each name is bound to there, how often, and where it is read."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from auditor.consumer.imports import absolute

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Binding(NamedTuple):
    """One place that binds a name."""

    node: ast.AST
    """The statement, or what else binds it."""
    value: ast.expr | ast.FunctionDef | None = None
    """What the name then is, where an assignment or definition says it."""
    path: str = ""
    """What an import binds it to."""


class Scope:
    """The names of a module, class, function or comprehension."""

    def __init__(self, node: ast.AST, parent: Scope | None, name: str = "") -> None:
        self.node = node
        self.parent = parent
        self.name = name
        """Qualified, "" for the module."""
        self.bindings: dict[str, list[Binding]] = {}
        self.reads: Counter[str] = Counter()
        """How often code reads each name of this scope, from here or from a scope inside."""
        self.elsewhere: set[str] = set()
        """Names declared `global` or `nonlocal`."""

    @property
    def is_class(self) -> bool:
        """Whether this is a class body, whose names functions inside do not see."""
        return isinstance(self.node, ast.ClassDef)

    def find(self, name: str) -> Scope | None:
        """The scope that a name belongs to when it is read here; None for builtins."""
        at: Scope | None = self
        while at is not None:
            if (at is self or not at.is_class) and name in at.bindings and name not in at.elsewhere:
                return at
            at = at.parent
        return None


class FileScopes(ast.NodeVisitor):
    """The scopes of one file.

    Args:
        tree: The syntax tree.
        module: Dotted name of the module.
        is_package: Whether the file is an `__init__.py`.
    """

    def __init__(self, tree: ast.Module, module: str, *, is_package: bool) -> None:
        self.tree = tree
        self.module = module
        self.is_package = is_package
        self.top = Scope(tree, None)
        self.scopes = [self.top]
        self.of: dict[int, Scope] = {}
        """The scope that each node stands in, by its id; of a function itself the one around it."""
        self.parents: dict[int, ast.AST] = {}
        self._here = self.top
        self._reads: list[tuple[Scope, str]] = []
        self._outside: list[tuple[Scope, str, Binding]] = []
        self.visit(tree)
        for scope, name, binding in self._outside:
            owner = (scope.parent or scope).find(name) or self.top
            owner.bindings.setdefault(name, []).append(Binding(binding.node))
        for scope, name in self._reads:
            owner = self.top if name in scope.elsewhere else scope.find(name) or self.top
            owner.reads[name] += 1

    def visit(self, node: ast.AST) -> None:
        self.of[id(node)] = self._here
        for child in ast.iter_child_nodes(node):
            self.parents[id(child)] = node
        super().visit(node)

    def _bind(self, name: str, binding: Binding) -> None:
        if name in self._here.elsewhere:
            self._outside.append((self._here, name, binding))
        else:
            self._here.bindings.setdefault(name, []).append(binding)

    def _inside(self, node: ast.AST, name: str, parts: Sequence[ast.AST], arguments: ast.arguments | None) -> None:
        outer = self._here
        self._here = Scope(node, outer, f"{outer.name}.{name}" if outer.name else name)
        self.scopes.append(self._here)
        if arguments is not None:
            for argument in ast.walk(arguments):
                if isinstance(argument, ast.arg):
                    self._bind(argument.arg, Binding(argument))
        for part in parts:
            self.visit(part)
        self._here = outer

    def _function(self, node: Function) -> None:
        body: Sequence[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else node.body
        outside: list[ast.AST] = [node.args]
        if not isinstance(node, ast.Lambda):
            outside += [*node.decorator_list, *([node.returns] if node.returns else [])]
            self._bind(node.name, Binding(node, node if isinstance(node, ast.FunctionDef) else None))
        for part in outside:
            self.visit(part)
        self._inside(node, getattr(node, "name", "<lambda>"), body, node.args)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node.name, Binding(node))
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        self._inside(node, node.name, node.body, None)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, _COMPREHENSIONS):
            self._inside(node, "<comprehension>", list(ast.iter_child_nodes(node)), None)
            return
        super().generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self._here.elsewhere.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._here.elsewhere.update(node.names)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            first = alias.name.partition(".")[0]
            self._bind(alias.asname or first, Binding(node, None, alias.name if alias.asname else first))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        where = absolute(node, self.module, is_package=self.is_package)
        for alias in node.names:
            self._bind(alias.asname or alias.name, Binding(node, None, f"{where}.{alias.name}"))

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._target(target, node, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self._target(node.target, node, node.value)

    def _target(self, target: ast.expr, node: ast.AST, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.of[id(target)] = self._here
            self._bind(target.id, Binding(node, value))
        else:
            self.visit(target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        inner = self._here
        while isinstance(self._here.node, _COMPREHENSIONS) and self._here.parent is not None:
            self._here = self._here.parent
        self.visit(node.target)
        self._here = inner
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self._reads.append((self._here, node.target.id))
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._reads.append((self._here, node.id))
        else:
            self._bind(node.id, Binding(node))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name, Binding(node))
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._bind(node.name, Binding(node))
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name, Binding(node))

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest, Binding(node))
        self.generic_visit(node)

    def up(self, node: ast.AST) -> Iterator[ast.AST]:
        """What stands around a node, from the inside out."""
        at = self.parents.get(id(node))
        while at is not None:
            yield at
            at = self.parents.get(id(at))
