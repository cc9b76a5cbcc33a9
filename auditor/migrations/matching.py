"""Finds the places of a consumer that a rule is about, and binds its metavariables to the source texts there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from auditor.consumer.analysis import FileAnalysis
from auditor.migrations import subjects
from auditor.migrations.evidence import parameter_exists
from auditor.migrations.syntax import Syntax, inside
from auditor.model import Argument, Span, Use
from auditor.rulepack import templates
from auditor.rulepack.schema import Context, Match, Names, Result
from auditor.sides import Side, exists
from auditor.terms import Import
from auditor.world.values import ClassValue


@dataclass
class File:
    """One file of the consumer: its uses, and its syntax once that is needed."""

    analysis: FileAnalysis
    parse: Callable[[str], Syntax | None]

    @property
    def syntax(self) -> Syntax | None:
        return self.parse(self.analysis.path)

    def calls(self) -> Iterator[Use]:
        """All calls, those on receivers of unknown type included."""
        return (use for use in (*self.analysis.uses, *self.analysis.loose) if use.kind == "call")


@dataclass
class Found:
    """A place that a rule matches."""

    use: Use
    file: File
    node: ast.AST
    bound: dict[str, Any] = field(default_factory=dict)
    places: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    arguments: dict[str, Argument] = field(default_factory=dict)
    at: Span | None = None
    """Where the finding points, if not at the use's own name."""


class Matcher:
    """Matches rules against the uses of a consumer, seen on both sides."""

    def __init__(self, old: Side, new: Side) -> None:
        self.old = old
        self.new = new

    def match(self, match: Match, use: Use, file: File, *, loose: bool) -> Found | None:
        """The match of a rule at a use, if it is one."""
        if not self._is_subject(match, use, loose=loose):
            return None
        arguments = subjects.arguments(use, self.old, self.new, match.positions) if use.kind == "call" else {}
        if not self._arguments_fit(match, use, arguments):
            return None
        syntax = file.syntax
        node = _node(use, syntax) if syntax is not None else None
        if syntax is None or node is None:
            return None
        found = Found(use, file, node, arguments=arguments)
        self._bind(found, syntax)
        if match.result and not self._result(match, found, syntax):
            return None
        if match.subclass and not self._lacks(match, use):
            return None
        for name, context in match.beside.items():
            if not self.near(context, found, name) and not context.optional:
                return None
        if any(self.near(context, found) for context in match.absent):
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
            found.bound |= _texts(node, found.arguments, syntax)
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

    @staticmethod
    def _result(match: Match, found: Found, syntax: Syntax) -> bool:
        seen = [(u.how, u.detail, u.span) for u in found.use.usages]
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

    # what stands nearby

    def near(self, context: Context, found: Found, name: str | None = None) -> bool:
        """Whether the context stands near a match; with a name, it binds its metavariables."""
        syntax = found.file.syntax
        assert syntax is not None
        region = syntax.region(found.node, context.inside)
        if context.call:
            hits = list(self._near_calls(context, found, region, syntax))
            if hits and name is not None:
                node, arguments = hits[0]
                found.bound[name] = SimpleNamespace(text=syntax.source(node), **_texts(node, arguments, syntax))
                found.places[name] = tuple(syntax.span(n) for n, _ in hits)
            return bool(hits)
        wanted = _wanted(context, found)
        if wanted is None:
            return False
        nodes = [n for n in ast.walk(region) if wanted(n) and _in_order(context, n, found, syntax)]
        if nodes and name is not None:
            found.bound[name] = SimpleNamespace(text=syntax.source(nodes[0]))
            found.places[name] = tuple(syntax.span(n) for n in nodes)
        return bool(nodes)

    def _near_calls(
        self, context: Context, found: Found, region: ast.AST, syntax: Syntax
    ) -> Iterator[tuple[ast.expr, dict[str, Argument]]]:
        whole = syntax.span(region) if not isinstance(region, ast.Module) else None
        last = subjects.last_names(context.call)
        for use in found.file.calls():
            if use.span == found.use.span or (whole is not None and not inside(use.span, whole)):
                continue
            if not last & subjects.names_of(use, self.old, self.new):
                continue
            if not subjects.is_about(use, context.call, self.old, self.new):
                continue
            arguments = subjects.arguments(use, self.old, self.new)
            node = _node(use, syntax)
            if not isinstance(node, ast.Call) or not _in_order(context, node, found, syntax):
                continue
            if self._near_fits(context, found, use, arguments, node, syntax):
                yield node, arguments

    @staticmethod
    def _near_fits(
        context: Context, found: Found, use: Use, arguments: dict[str, Argument], node: ast.Call, syntax: Syntax
    ) -> bool:
        if context.without and any(name in arguments for name in context.without):
            return False
        if not subjects.passes(arguments, context.with_):
            return False
        for name in context.same:
            mine = found.arguments.get(name)
            theirs = arguments.get(name) or _first(use)
            if mine is None or theirs is None or mine.text != theirs.text:
                return False
        if not context.same_receiver:
            return True
        receiver = _texts(node, {}, syntax).get("receiver")
        return receiver is not None and receiver == found.bound.get("receiver")


def negated(text: str) -> str:
    """The opposite of a condition, as source text."""
    node = ast.parse(text, mode="eval").body
    match node:
        case ast.Constant(value=bool() as value):
            return str(not value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ast.unparse(operand)
        case _:
            return f"not {grouped(text)}"


def grouped(text: str) -> str:
    """An expression as an operand: in brackets where it is not of one piece."""
    node = ast.parse(text, mode="eval").body
    whole = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
    return text if whole else f"({text})"


def _first(use: Use) -> Argument | None:
    """The first argument, where no signature says what its parameter is called."""
    return next((a for a in use.arguments if a.name is None and not a.star), None)


def _node(use: Use, syntax: Syntax) -> ast.AST | None:
    match use.kind:
        case "call":
            return syntax.find(use.span, ast.Call)
        case "attribute":
            return syntax.find(use.span, ast.Attribute, ast.Name)
        case "class":
            return syntax.find(use.span, ast.ClassDef)
        case "import":
            return syntax.find(use.span, ast.alias)
        case _:
            return None


def _texts(node: ast.expr, arguments: dict[str, Argument], syntax: Syntax) -> dict[str, Any]:
    """The metavariables that every call or access binds."""
    bound: dict[str, Any] = {}
    of = node.func if isinstance(node, ast.Call) else node
    if isinstance(of, ast.Attribute):
        bound["receiver"] = syntax.source(of.value)
    if isinstance(node, ast.Call):
        bound["callee"] = syntax.source(node.func)
    if (target := syntax.target(node)) is not None:
        bound["target"] = syntax.source(target)
    bound["args"] = SimpleNamespace(**{name: _argument_text(a, syntax) for name, a in arguments.items()})
    return bound


def _argument_text(argument: Argument, syntax: Syntax) -> str:
    node = syntax.find(argument.span, ast.keyword) or syntax.find(argument.span, ast.expr)
    if isinstance(node, ast.keyword):
        node = node.value
    return syntax.source(node) if node is not None else argument.text


def _wanted(context: Context, found: Found) -> Callable[[ast.AST], bool] | None:
    if context.name:
        name = context.name
        mine = {id(n) for n in ast.walk(found.node.func)} if isinstance(found.node, ast.Call) else set()
        return lambda node: id(node) not in mine and name in _called(node)
    try:
        text = ast.unparse(ast.parse(templates.render(context.text or "", found.bound), mode="eval"))
    except (templates.UnboundError, SyntaxError):
        return None
    return lambda node: isinstance(node, ast.expr) and _is_load(node) and ast.unparse(node) == text


def _is_load(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def _called(node: ast.AST) -> tuple[str, ...]:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return (name,)
        case ast.Constant(value=str() as text):
            return (text,)
        case _:
            return ()


def _in_order(context: Context, node: ast.AST, found: Found, syntax: Syntax) -> bool:
    if context.order == "any" or not isinstance(node, ast.expr):
        return True
    there, here = syntax.span(node), found.use.span
    if context.order == "after":
        return (there.line, there.column) >= (here.end_line, here.end_column)
    return (there.end_line, there.end_column) <= (here.line, here.column)
