"""Which places of a file use the name that a statement binds, by libcst's scopes."""

from __future__ import annotations

import libcst as cst
from libcst.metadata import Assignment, BaseAssignment, ImportAssignment, MetadataWrapper, Scope, ScopeProvider

from auditor.fixes import RepairError
from auditor.fixes._expressions import dotted_text


class NotAloneError(Exception):
    """A use may also mean something other than the given binding."""


def uses_of_import(wrapper: MetadataWrapper, node: cst.ImportFrom | cst.Import, name: str, new: str) -> list[cst.Name]:
    """All places that use the imported `name`, if these can be told apart and `new` is free in all of them."""
    scopes = wrapper.resolve(ScopeProvider)
    scope = scopes.get(node)
    if scope is None:
        raise NotAloneError
    return _uses(scope, {a for a in scope[name] if isinstance(a, ImportAssignment) and a.node is node}, name, new)


def uses_of_parameter(wrapper: MetadataWrapper, node: cst.FunctionDef, name: str, new: str) -> list[cst.Name]:
    """All places in a function's body that use or bind its parameter `name`."""
    inner = wrapper.resolve(ScopeProvider).get(node.body)
    if inner is None:
        raise NotAloneError
    found = _uses(inner, {a for a in inner[name] if isinstance(a, Assignment)}, name, new)
    return found + [a.node for a in inner[name] if isinstance(a, Assignment) and isinstance(a.node, cst.Name)]


def _uses(scope: Scope, bindings: set[BaseAssignment], name: str, new: str) -> list[cst.Name]:
    if not bindings or bindings != set(scope.assignments[name]) or new in scope.assignments or new in scope.accesses:
        raise NotAloneError
    found = []
    for binding in bindings:
        for access in binding.references:
            at: cst.CSTNode = access.node
            while isinstance(at, cst.Attribute):
                at = at.value
            inner: Scope = access.scope
            while inner is not scope and inner is not inner.parent:
                if new in inner.assignments:
                    raise NotAloneError
                inner = inner.parent
            if not isinstance(at, cst.Name) or at.value != name or set(access.referents) - bindings:
                raise NotAloneError
            found.append(at)
    return found


def dotted_uses(wrapper: MetadataWrapper, node: cst.Import, name: str) -> list[cst.CSTNode]:
    """The accesses `a.b` served by `import a.b`; an error if the same import also serves others, such as `a.c`."""
    scopes = wrapper.resolve(ScopeProvider)
    root = name.partition(".")[0]
    collector = _Chains(root)
    wrapper.module.visit(collector)
    found: list[cst.CSTNode] = []
    for chain in collector.chains:
        scope = scopes.get(chain[-1])
        bindings = scope[root] if scope is not None else ()
        mine = [b for b in bindings if isinstance(b, ImportAssignment) and b.node is node]
        if not mine:
            continue
        match = next((part for part in chain if dotted_text(part) == name), None)
        if match is not None:
            found.append(match)
        elif all(isinstance(b, ImportAssignment) and b.node is node for b in bindings):
            raise RepairError(f"`import {name}` also binds `{root}` for `{dotted_text(chain[0])}`")
    return found


class _Chains(cst.CSTVisitor):
    """Collects `root`, `root.a`, `root.a.b` as chains from the longest access to the bare name."""

    def __init__(self, root: str) -> None:
        super().__init__()
        self.root = root
        self.chains: list[list[cst.CSTNode]] = []

    def visit_Import(self, node: cst.Import) -> bool:  # noqa: ARG002, N802 - the visitor's interface
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:  # noqa: ARG002, N802 - the visitor's interface
        return False

    def visit_Attribute(self, node: cst.Attribute) -> bool:  # noqa: N802 - the visitor's interface
        chain: list[cst.CSTNode] = [node]
        at: cst.BaseExpression = node
        while isinstance(at, cst.Attribute):
            at = at.value
            chain.append(at)
        if isinstance(at, cst.Name):
            if at.value == self.root:
                self.chains.append(chain)
            return False
        return True

    def visit_Name(self, node: cst.Name) -> None:  # noqa: N802 - the visitor's interface
        if node.value == self.root:
            self.chains.append([node])
