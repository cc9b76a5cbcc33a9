"""Writes the edit of a place for all releases: plain where they agree, else under what tells them apart."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import libcst as cst

from auditor import fixes
from auditor.fixes import Around, RepairError
from auditor.fixes._calls import keyword_index
from auditor.fixes._expressions import WIDTH, code, expression, over_lines
from auditor.fixes._imports import module_text
from auditor.fixes._places import PlacedFile
from auditor.guarding.names import FileNames
from auditor.guarding.places import Group, Place
from auditor.guarding.versions import Condition
from auditor.model import Repair, Span

Choose: TypeAlias = Callable[[Group, set[int], set[int]], Condition | None]
"""Finds the condition that holds in the releases of a group, or in the first set, and not in the second."""


class CannotGuardError(Exception):
    """Releases disagree in a way for which there is no guard; the message says which."""


class Writer:
    """Writes the edits of one file.

    Args:
        file: The parsed file.
        names: What it calls things.
        choose: Finds conditions.
    """

    def __init__(self, file: PlacedFile, names: FileNames, choose: Choose) -> None:
        self.file = file
        self.names = names
        self.choose = choose
        self.words: list[str] = []
        """What the guards ask, for people."""

    def written(self, place: Place, groups: Sequence[Group], every: int) -> Iterator[Repair]:
        """The repairs for a place.

        Args:
            place: The place.
            groups: The releases by the edit that they get, the newest first.
            every: How many releases there are.
        """
        if len(groups) == 1 and len(groups[0].releases) == every:
            yield from groups[0].edit
            return
        match place.kind:
            case "companion":
                yield from groups[0].edit or groups[1].edit
            case "call":
                yield from self._call(place.span, groups)
            case "statement":
                yield from self._statement(place, groups)
            case "name":
                yield from self._name(place, groups)
            case "node":
                yield from self._node(place.span, groups)
            case "import" | "signature":
                raise CannotGuardError(f"releases disagree about `{place.detail}`, which cannot be made conditional")

    def conditions(self, groups: Sequence[Group]) -> Iterator[Condition]:
        """For each group but the last what tells it from all that follow."""
        for index, group in enumerate(groups[:-1]):
            rest = {n for later in groups[index + 1 :] for n in later.releases}
            found = self.choose(group, group.releases, rest)
            if found is None:
                raise CannotGuardError("nothing tells the releases that need it from the others")
            self.words.append(found.words)
            yield found

    # calls

    def _call(self, span: Span, groups: Sequence[Group]) -> Iterator[Repair]:
        call = self.file.find(span, cst.Call)
        assert isinstance(call, cst.Call)
        if any("position" in repair.options for group in groups for repair in group.edit):
            yield from self._node(span, groups)
            return
        passed = [_passed(call, group.edit, groups) for group in groups]
        common = {n: v for n, v in passed[0].items() if all(other.get(n) == v for other in passed)}
        original = _passed(call, (), groups)
        for name in original:
            if name not in common:
                yield Repair("remove-argument", span, {"name": name})
        for name in common.keys() - original.keys():
            yield Repair("add-argument", span, {"name": name, "value": common[name]})
        dicts = [_dict({n: v for n, v in one.items() if n not in common}) for one in passed]
        found = list(self.conditions(groups))
        yield from (need for condition in found for need in condition.needs)
        statements = ["\n".join(_inserted(group.edit)) for group in groups]
        if len(groups) == 2 and not any(statements):
            yield Repair("unpack-argument", span, {"value": _either(found[0].text, dicts[0], dicts[1])})
            return
        name = self.names.fresh(_options_name(call))
        room = WIDTH - 12
        dicts = [_dict({n: v for n, v in one.items() if n not in common}, room - len(name)) for one in passed]
        blocks = [f"{s}\n{name} = {d}".strip() for s, d in zip(statements, dicts, strict=True)]
        text = _chain([condition.text for condition in found], blocks)
        yield Repair("insert-statement", span, {"text": text, "where": "before"})
        yield Repair("unpack-argument", span, {"value": name})

    # statements

    def _statement(self, place: Place, groups: Sequence[Group]) -> Iterator[Repair]:
        if any(repair.repair != "insert-statement" for group in groups for repair in group.edit):
            raise CannotGuardError("releases disagree about a statement that is not only added to")
        blocks = ["\n".join(_inserted(group.edit)) for group in groups]
        found = list(self.conditions(groups))
        yield from (need for condition in found for need in condition.needs)
        head, middles, tail = _factored(blocks)
        text = "\n".join(filter(None, (head, _guarded([c.text for c in found], middles), tail)))
        yield Repair("insert-statement", place.span, {"text": text, "where": place.detail})

    # imported names

    def _name(self, place: Place, groups: Sequence[Group]) -> Iterator[Repair]:
        line = self.file.find(place.span, cst.ImportFrom)
        assert isinstance(line, cst.ImportFrom)
        targets: list[str] = []
        for group in groups:
            for repair in group.edit:
                module = str(repair.options.get("new_module") or module_text(line))
                targets.append(f"{module}:{repair.options.get('new_name') or place.detail}")
        options: dict[str, str | int | bool] = {"name": place.detail, "places": " ".join(dict.fromkeys(targets))}
        yield Repair("import-either", place.span, options)

    # any other expression

    def _node(self, span: Span, groups: Sequence[Group]) -> Iterator[Repair]:
        edits = [self._edited(group.edit) for group in groups]
        node = next((node for node, _ in edits if node is not None), None)
        if node is None or any(one not in (None, node) for one, _ in edits):
            raise CannotGuardError("releases disagree about different parts of an expression")
        if not isinstance(node, cst.BaseExpression):
            raise CannotGuardError("releases disagree about a statement, which has no conditional form")
        texts = [code(new) if new is not None else code(_bare(node)) for _, new in edits]
        found = list(self.conditions(groups))
        yield from (need for condition in found for need in condition.needs)
        text = texts[-1]
        for condition, new in reversed(list(zip(found, texts[:-1], strict=True))):
            text = _either(condition.text, new, text)
        place = self.file.positions[node]
        at = Span(span.path, place.start.line, place.start.column + 1, place.end.line, place.end.column + 1)
        yield Repair("replace-expression", at, {"text": text})

    def _edited(self, edit: Sequence[Repair]) -> tuple[cst.CSTNode | None, cst.BaseExpression | None]:
        """The node that some repairs act on, and what they make of it."""
        node: cst.CSTNode | None = None
        result: cst.CSTNode | None = None
        for repair in edit:
            fixer = fixes.load(repair.repair)
            options = fixer.read(repair.options)
            if fixer.follow is not None:
                raise CannotGuardError("other places of the file would have to follow")
            if fixer.anchor is not None:
                here = fixer.anchor(self.file.path(self.file.find(repair.span, cst.CSTNode)), options)
            else:
                here = self.file.find(repair.span, fixer.acts_on)
            if here is None:
                continue
            if node is not None and here is not node:
                raise CannotGuardError("one repair acts on several parts of an expression")
            node = here
            try:
                made = fixer.fix(_bare(node) if result is None else result, options)
            except RepairError as error:
                raise CannotGuardError(str(error)) from error
            if isinstance(made, Around):
                raise CannotGuardError("releases disagree about a statement, which has no conditional form")
            result = made
        return node, result if isinstance(result, cst.BaseExpression) else None


def _either(test: str, yes: str, no: str) -> str:
    """A conditional expression whose test is not negated, where that is possible."""
    if test.startswith("not ") and " and " not in test:
        test, yes, no = test.removeprefix("not "), no, yes
    return f"{yes} if {test} else {no}"


def _bare(node: cst.CSTNode) -> cst.CSTNode:
    return node.with_changes(lpar=(), rpar=()) if isinstance(node, cst.BaseExpression) else node


def _passed(call: cst.Call, edit: Sequence[Repair], groups: Sequence[Group]) -> dict[str, str]:
    """The keywords that some group touches, as they are passed after an edit, by name."""
    touched: dict[str, None] = {}
    for group in groups:
        for repair in group.edit:
            for option in ("name", "new_name"):
                if repair.repair != "insert-statement" and (name := repair.options.get(option)) is not None:
                    touched[str(name)] = None
    found: dict[str, str] = {}
    for name in touched:
        index = keyword_index(call, name)
        if index is not None:
            found[name] = code(call.args[index].value)
    for repair in edit:
        name, new = str(repair.options.get("name")), str(repair.options.get("new_name"))
        if repair.repair == "add-argument":
            found[name] = str(repair.options["value"])
        elif repair.repair == "remove-argument":
            found.pop(name, None)
        elif repair.repair == "rename-argument" and name in found:
            found[new] = found.pop(name)
    return found


def _inserted(edit: Sequence[Repair]) -> list[str]:
    return [str(r.options["text"]).strip("\n") for r in edit if r.repair == "insert-statement"]


def _dict(items: dict[str, str], room: int | None = None) -> str:
    """A dict display; with one item a line, and long values in brackets, where it is longer than there is room."""
    short = "{" + ", ".join(f'"{name}": {value}' for name, value in items.items()) + "}"
    if room is None or len(short) <= room:
        return short
    lines = []
    for name, value in items.items():
        broken = code(over_lines(expression(value), "    ")) if len(value) + len(name) > room else value
        lines.append(f'    "{name}": {broken},\n')
    return "{\n" + "".join(lines) + "}"


def _options_name(call: cst.Call) -> str:
    last = code(call.func).rpartition(".")[2]
    if not last.isidentifier():
        return "options"
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).strip("_").lower() + "_options"


def _chain(tests: Sequence[str], blocks: Sequence[str]) -> str:
    """`if`, `elif` and `else` over blocks of which the last one has no test."""
    lines: list[str] = []
    for index, block in enumerate(blocks):
        if index < len(tests):
            lines.append(f"{'elif' if index else 'if'} {tests[index]}:")
        elif not block:
            continue
        else:
            lines.append("else:")
        lines.append(textwrap.indent(block or "pass", "    "))
    return "\n".join(lines)


def _guarded(tests: Sequence[str], blocks: Sequence[str]) -> str:
    """The chain; a single `if` without alternatives takes the test into its own."""
    if len(blocks) == 2 and not blocks[1]:
        body = ast.parse(blocks[0]).body
        if len(body) == 1 and isinstance(body[0], ast.If) and not body[0].orelse:
            own = ast.get_source_segment(blocks[0], body[0].test) or ""
            both = [f"({t})" if re.search(r"\b(or|if|lambda)\b", t) else t for t in (own, tests[0])]
            inner = textwrap.indent("\n".join(ast.unparse(s) for s in body[0].body), "    ")
            return f"if {' and '.join(both)}:\n{inner}"
    return _chain(tests, blocks)


def _factored(blocks: Sequence[str]) -> tuple[str, list[str], str]:
    """What all blocks begin with, what is left of each, and what all end with, in whole statements."""
    split = [[ast.get_source_segment(block, s) or "" for s in ast.parse(block).body] for block in blocks]
    head: list[str] = []
    while all(split) and all(one[0] == split[0][0] for one in split):
        head.append(split[0][0])
        split = [one[1:] for one in split]
    tail: list[str] = []
    while all(split) and all(one[-1] == split[0][-1] for one in split):
        tail.insert(0, split[0][-1])
        split = [one[:-1] for one in split]
    return "\n".join(head), ["\n".join(one) for one in split], "\n".join(tail)
