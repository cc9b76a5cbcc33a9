"""Finds the places of a consumer that a rule is about, and binds its metavariables to the source texts there."""

from __future__ import annotations

import ast

from auditor.migrations import subjects
from auditor.migrations.evidence import parameter_exists
from auditor.migrations.metavariables import grouped, negated, texts
from auditor.migrations.nearby import Surroundings
from auditor.migrations.places import File, Found, node_of
from auditor.migrations.syntax import Syntax
from auditor.model import Argument, Use
from auditor.rulepack.schema import Match, Names, Result
from auditor.sides import Side, exists
from auditor.terms import Import
from auditor.world.values import ClassValue


class Matcher:
    """Matches rules against the uses of a consumer, seen on both sides."""

    def __init__(self, old: Side, new: Side) -> None:
        self.old = old
        self.new = new
        self.surroundings = Surroundings(old, new)

    def match(self, match: Match, use: Use, file: File, *, loose: bool) -> Found | None:
        """The match of a rule at a use, if it is one."""
        if not self._is_subject(match, use, loose=loose):
            return None
        arguments = subjects.arguments(use, self.old, self.new, match.positions) if use.kind == "call" else {}
        if not self._arguments_fit(match, use, arguments):
            return None
        syntax = file.syntax
        node = node_of(use, syntax) if syntax is not None else None
        if syntax is None or node is None:
            return None
        found = Found(use, file, node, arguments=arguments)
        self._bind(found, syntax)
        if match.result and not self._result(match, found, syntax):
            return None
        if match.subclass and not self._lacks(match, use):
            return None
        for name, context in match.beside.items():
            if not self.surroundings.near(context, found, name) and not context.optional:
                return None
        if any(self.surroundings.near(context, found) for context in match.absent):
            return None
        self._point(match, found)
        return found

    def _is_subject(self, match: Match, use: Use, *, loose: bool) -> bool:
        match use.kind:
            case "call" if match.call:
                return self._named(match.call, use, match, loose=loose)
            case "attribute" if match.attribute:
                if use.text.rsplit(".", 1)[-1] not in subjects.last_names(match.attribute):
                    return False  # another name of the same thing, perhaps the one to use
                return self._named(match.attribute, use, match, loose=loose)
            case "import" if match.imports:
                path = use.term.path if isinstance(use.term, Import) else ""
                return any(path == p or path.startswith(f"{p}.") for p in subjects.paths(match.imports))
            case "class" if match.subclass:
                value = self.new.value(use.term)
                return isinstance(value, ClassValue) and any(
                    self._is_base(value, path) for path in subjects.paths(match.subclass)
                )
            case _:
                return False

    def _named(self, names: Names, use: Use, match: Match, *, loose: bool) -> bool:
        if loose and not match.untyped and not any(n.startswith("*.") for n in subjects.paths(names)):
            return False
        return subjects.is_about(use, names, self.old, self.new, untyped=match.untyped)

    def _is_base(self, value: ClassValue, path: str) -> bool:
        target = self.new.world.resolve(path)
        wanted = target.ref.path if isinstance(target, ClassValue) else path
        bases = [c.path for c in value.ref.mro()]
        return value.ref.path != wanted and wanted in bases

    def _lacks(self, match: Match, use: Use) -> bool:
        value = self.new.value(use.term)
        if not isinstance(value, ClassValue):
            return False
        own = [c for c in value.ref.classes() if self.new.provider_of(c.path) is None]
        return all(not any(c.own(name) is not None for c in own) for name in match.lacking)

    @staticmethod
    def _arguments_fit(match: Match, use: Use, found: dict[str, Argument]) -> bool:
        if match.without and (subjects.opaque(use) or any(name in found for name in match.without)):
            return False
        return subjects.passes(found, match.with_)

    def _bind(self, found: Found, syntax: Syntax) -> None:
        node, use = found.node, found.use
        found.bound = {"text": use.text, "old": self.old, "new": self.new}
        function, owner = syntax.function(node), syntax.class_(node)
        statement = syntax.statement(node)
        if function is not None:
            found.bound["function"] = function.name
            found.places["function"] = (syntax.span(function),)
        found.bound["fresh"] = lambda name: syntax.fresh(node, name)
        found.bound |= {"negated": negated, "grouped": grouped}
        found.bound["takes"] = lambda path, name: parameter_exists(path, name, self.new) is True
        found.bound["offers"] = lambda path: exists(self.new.world.resolve(path))
        if owner is not None:
            found.bound["class"] = owner.name
            found.places["class"] = (syntax.span(owner),)
        if isinstance(node, ast.expr):
            found.bound |= texts(node, found.arguments, syntax)
            found.bound["call"] = syntax.source(node)
        if statement is not None:
            found.places["statement"] = (syntax.span(statement),)
        found.places["call"] = (use.span,)
        if use.kind == "import":
            found.places["import"] = (use.name_span or use.span,)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found.places["receiver"] = (syntax.span(node.func.value),)
        for name, argument in found.arguments.items():
            keyword = syntax.find(argument.span, ast.keyword)
            value = keyword.value if isinstance(keyword, ast.keyword) else None
            found.places[f"argument:{name}"] = (syntax.span(value) if value is not None else argument.span,)

    def _result(self, match: Match, found: Found, syntax: Syntax) -> bool:
        seen = [(u.how, u.detail, u.span) for u in self.new.usages(found.use)]
        if (direct := syntax.usage(found.node)) is not None:
            holder = syntax.parents.get(found.node)
            here = syntax.span(holder) if direct[0] == "subscript" and holder is not None else found.use.span
            seen.append((direct[0], direct[1], here))  # type: ignore[arg-type]
        for wanted in match.result:
            how, detail = (wanted.how, wanted.detail) if isinstance(wanted, Result) else (wanted, None)
            for kind, given, span in seen:
                if kind == how and (detail is None or detail == given):
                    found.places["result"] = (span,)
                    found.bound["result"] = kind
                    if kind not in ("discard", "assign", "await"):
                        found.at = span
                    return True
        return False

    @staticmethod
    def _point(match: Match, found: Found) -> None:
        if match.at is not None and match.at in found.places:
            found.at = found.places[match.at][0]
