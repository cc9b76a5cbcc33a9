"""A rule's fix at one match: templates become the options of repairs, names of places become spans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from auditor.migrations.places import Found
from auditor.migrations.telling import capabilities
from auditor.model import Fix, Repair, Span
from auditor.rulepack import templates
from auditor.rulepack.repairs import AddImport, FixSpec, Repairing
from auditor.rulepack.schema import Rule
from auditor.sides import Side, exists
from auditor.whereabouts import Searchable

_OWN = frozenset({"at", "when", "once"})


class CannotFixError(Exception):
    """The fix needs something that is not at hand here."""


def mend(rule: Rule, spec: FixSpec, found: Found, new: Side) -> tuple[Fix | None, str | None]:
    """The fix of a rule, or the reason why there is none."""
    try:
        repairs = tuple(repair for one in spec.repairs for repair in _repairs(*one.chosen(), found, new))
    except templates.UnboundError:
        return None, spec.otherwise
    except CannotFixError as error:
        return None, str(error)
    if not repairs:
        return None, spec.otherwise
    safety = " ".join(spec.safety.split())
    return Fix(
        repairs, spec.applicability, safety, capabilities=capabilities(rule, spec), everywhere=spec.everywhere
    ), None


def _repairs(name: str, repair: Repairing, found: Found, new: Side) -> Iterator[Repair]:
    if repair.when is not None and not _applies(repair.when, found):
        return
    if repair.once is not None and _assigned(templates.render(repair.once, found.bound), found):
        return
    if isinstance(repair, AddImport):
        yield Repair(name, found.use.span, _import(repair, found, new))
        return
    options: dict[str, str | int | bool] = {}
    for field in repair.__struct_fields__:
        value = getattr(repair, field)
        if field not in _OWN and value is not None:
            options[field] = _text(value, found) if isinstance(value, str) else value
    if name == "to-keyword":
        options["position"] = _position(str(options["name"]), found)
    if name == "remove-argument" and (passed := found.arguments.get(str(options["name"]))) and passed.name is None:
        options = {"position": _position(str(options["name"]), found), "expect": passed.text}
    for span in _places(repair.at or ("import" if found.use.kind == "import" else "call"), found):
        yield Repair(name, span, options)


def _text(template: str, found: Found) -> str:
    text = templates.render(template, found.bound)
    return text.strip("\n") if "\n" in text else text.strip()


def _applies(template: str, found: Found) -> bool:
    try:
        return templates.render(template, found.bound).strip() not in ("", "False", "None")
    except templates.UnboundError:
        return False


def _assigned(target: str, found: Found) -> bool:
    syntax = found.file.syntax
    return syntax is not None and syntax.assigns(found.node, target)


def _places(at: str, found: Found) -> tuple[Span, ...]:
    if at not in found.places:
        raise CannotFixError(f"there is no {at.replace(':', ' ')} here to repair")
    return found.places[at]


def _position(name: str, found: Found) -> int:
    argument = found.arguments.get(name)
    plain = [a for a in found.use.arguments if a.name is None]
    if argument is None or argument not in plain:
        raise CannotFixError(f"`{name}` is not passed by position")
    return plain.index(argument)


def _import(spec: AddImport, found: Found, new: Side) -> dict[str, str | int | bool]:
    options: dict[str, str | int | bool] = {}
    if spec.symbol is not None:
        module, _, name = located(templates.render(spec.symbol, found.bound), new).rpartition(".")
        options = {"module": module, "name": name}
    elif spec.module is not None:
        options = {"module": templates.render(spec.module, found.bound)}
        if spec.name is not None:
            options["name"] = templates.render(spec.name, found.bound)
    if spec.alias is not None:
        options["alias"] = spec.alias
    return options


def located(symbol: str, new: Side) -> str:
    """Where the release to run on has a symbol: at the path that the rule gives, else where it is defined."""
    if exists(new.world.resolve(symbol)):
        return symbol
    tree: object = new.world.tree(symbol)
    module, _, name = symbol.rpartition(".")
    if isinstance(tree, Searchable):
        pattern = rf"^(?:class|def|async[ \t]+def)[ \t]+{re.escape(name)}\b|^{re.escape(name)}[ \t]*(?::[^=\n]*)?="
        for found, _ in tree.search(name, pattern, module):
            return f"{found}.{name}"
    raise CannotFixError(f"`{name}` was not found in {new.label(new.provider_of(symbol) or symbol)}")
