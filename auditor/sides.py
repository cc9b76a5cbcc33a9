"""One side of the comparison: what each use of the consumer means in one world, and whether it is reached there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from packaging.version import InvalidVersion, Version

from auditor.api import FunctionApi, Parameter
from auditor.binding import Binding, BindError, CallShape, bind, bind_overloads, drop_first, render
from auditor.model import Argument, Guard, Signature, Use
from auditor.terms import Mapping as Keywords
from auditor.terms import Member, Sequence, Term
from auditor.world.calls import Callee, callee
from auditor.world.values import (
    ClassValue,
    FunctionValue,
    InstanceValue,
    Keys,
    Missing,
    ModuleValue,
    Options,
    PartialValue,
    UnknownValue,
    Value,
    alternatives,
)
from auditor.world.world import World

Status: TypeAlias = Literal["fits", "broken", "missing", "unknown"]


@dataclass(frozen=True)
class CallOutcome:
    """What a call means on one side."""

    status: Status
    callee: Callee | None = None
    binding: Binding | None = None
    errors: tuple[BindError, ...] = ()
    reason: str = ""


class Side:
    """A world with the versions it stands for.

    Args:
        world: The consumer together with one release of each provider.
        versions: Import package and distribution name -> version, for version guards.
        label: What to call it in messages, e.g. `vllm 0.16.0`.
        providers: Top-level import name -> distribution, of the audited providers.
    """

    def __init__(self, world: World, versions: Mapping[str, str], providers: Mapping[str, str]) -> None:
        self.world = world
        self.versions = versions
        self.providers = providers
        self._calls: dict[int, CallOutcome] = {}

    def value(self, term: Term) -> Value:
        """The value of a term on this side."""
        return self.world.evaluate(term)

    def provider_of(self, path: str) -> str | None:
        """The audited distribution that a dotted path belongs to."""
        return self.providers.get(path.split(".", 1)[0])

    def label(self, provider: str) -> str:
        """`vllm 0.16.0`"""
        version = self.versions.get(provider)
        return f"{provider} {version}" if version else provider

    # reached or not

    def reached(self, use: Use) -> bool:
        """Whether the conditions around a use let it run on this side; True where they cannot be told."""
        return all(self.holds(guard) is not False for guard in use.guards)

    def holds(self, guard: Guard) -> bool | None:
        """Whether one condition is true on this side."""
        holds: bool | None = None
        match guard.kind:
            case "version":
                holds = self._version_holds(guard)
            case "hasattr" if guard.of is not None:
                value = self.value(Member(guard.of, guard.name))
                holds = None if isinstance(value, UnknownValue) and not value.path else not isinstance(value, Missing)
            case "importable" if guard.of is not None:
                value = self.value(guard.of)
                holds = None if isinstance(value, UnknownValue) and not value.path else not isinstance(value, Missing)
            case "type-checking":
                holds = None
            case _:
                return None
        return holds if holds is None or not guard.negated else not holds

    def _version_holds(self, guard: Guard) -> bool | None:
        current = self.versions.get(guard.package) or self.versions.get(guard.package.replace("_", "-"))
        if current is None:
            return None
        try:
            mine, theirs = Version(current), Version(guard.version)
        except InvalidVersion:
            return None
        if len(theirs.release) < len(mine.release) and guard.operator in ("==", "!="):
            mine = Version(".".join(map(str, mine.release[: len(theirs.release)])))
        return {
            "<": mine < theirs,
            "<=": mine <= theirs,
            ">": mine > theirs,
            ">=": mine >= theirs,
            "==": mine == theirs,
            "!=": mine != theirs,
        }[guard.operator]

    # calls

    def call(self, use: Use) -> CallOutcome:
        """What a call use means here, remembered."""
        if id(use) not in self._calls:
            self._calls[id(use)] = self._call(use)
        return self._calls[id(use)]

    def _call(self, use: Use) -> CallOutcome:
        value = self.value(use.term)
        if isinstance(value, Missing):
            return CallOutcome("missing", reason=f"{value.path} does not exist")
        candidates = [c for v in alternatives(value) if (c := callee(self.world, v)) is not None]
        if not candidates:
            reason = value.reason if isinstance(value, UnknownValue) else f"no signature for {type(value).__name__}"
            return CallOutcome("unknown", reason=reason)
        shape = self.shape(use)
        outcomes = [self._bind(shape, candidate) for candidate in candidates]
        if len(candidates) < len(alternatives(value)) and all(o.status == "broken" for o in outcomes):
            return CallOutcome("unknown", reason="one of several callees cannot be read")
        return next((o for o in outcomes if o.status == "fits"), outcomes[0])

    def _bind(self, shape: CallShape, found: Callee) -> CallOutcome:
        parameters: tuple[Parameter, ...] = found.parameters
        function = found.function
        if function is not None and function.overloads and _is_uninformative(function):
            signatures = [self._trim(found, overload.parameters) for overload in function.overloads]
            _, binding = bind_overloads(shape, signatures)
        else:
            binding = bind(shape, parameters)
        errors = tuple(e for e in binding.errors if not self._excused(e, found))
        errors += tuple(self._refused_deeper(binding, found, shape))
        return CallOutcome("broken" if errors else "fits", found, binding, errors)

    def _trim(self, found: Callee, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
        bound = isinstance(found.value, ClassValue | InstanceValue) or (
            isinstance(found.value, FunctionValue) and found.value.bound
        )
        return drop_first(parameters) if bound else parameters

    def _excused(self, error: BindError, found: Callee) -> bool:
        """A decorator that still takes the old name (`deprecate_kwarg`-like), or shifts positional arguments."""
        function = found.function
        if error.sometimes:
            return True
        if function is None:
            return False
        name = str(error.argument)
        if error.kind == "unknown-argument":
            return any(
                f"{name}=" in d.text or f"'{name}'" in d.text or f'"{name}"' in d.text for d in function.decorators
            )
        if error.kind == "missing-argument":
            return any(_fills(d.text, name) for d in function.decorators)
        if error.kind == "too-many-positional-arguments":
            return any(
                "positional" in d.text.lower() or "keyword_only" in d.text.lower() or "kwonly" in d.text.lower()
                for d in function.decorators
            )
        return False

    def _refused_deeper(self, binding: Binding, found: Callee, shape: CallShape) -> list[BindError]:
        """Keywords swallowed by `**kwargs` that every callee they are passed on to refuses."""
        refused = []
        for key in binding.swallowed:
            if key[0] == "keyword" and self.takes(found, key[1]) is False:
                refused.append(BindError("unknown-argument", key[1], f"passes `{key[1]}` on to a function without it"))
        del shape
        return refused

    def takes(self, found: Callee, name: str, depth: int = 0) -> bool | None:
        """Whether a callable with `**kwargs` accepts a keyword: read, passed on to one that accepts it, or unknown."""
        if any(p.name == name and p.kind in ("positional-or-keyword", "keyword-only") for p in found.parameters):
            return True
        if not any(p.kind == "var-keyword" for p in found.parameters):
            return False
        function = found.function
        if function is None or depth > 5 or name in function.kwargs_keys:
            return True if function is not None and name in function.kwargs_keys else None
        passed_on = [f for f in function.forwards if f.passes_kwargs]
        if not passed_on:
            return None
        verdicts: list[bool | None] = []
        for forward in passed_on:
            if name in forward.keywords:
                return False
            target = self.value(forward.function)
            inner = next((c for v in alternatives(target) if (c := callee(self.world, v)) is not None), None)
            verdicts.append(self.takes(inner, name, depth + 1) if inner is not None else None)
        if any(v is True for v in verdicts):
            return True
        return False if all(v is False for v in verdicts) else None

    def shape(self, use: Use) -> CallShape:
        """The call's shape, with `**kw` spread where its keys are known on this side."""
        return shape_of(use.arguments, self)

    def signature(self, found: Callee, *, keep: tuple[str, ...] = ()) -> Signature:
        """The signature for people."""
        returns = found.function.returns if found.function is not None and found.kind == "function" else None
        name = found.path.rsplit(".", 1)[-1]
        if name in ("__init__", "__new__", "__call__") or (
            found.function is not None and found.kind == "function" and found.path.count(".") > 1
        ):
            owner = found.path.rsplit(".", 2)[-2]
            name = f"{owner}.{name}" if owner[:1].isupper() else name
        return Signature(render(name, found.parameters, returns, keep=keep), found.module, found.line)


def shape_of(arguments: tuple[Argument, ...], side: Side | None = None) -> CallShape:
    """Arguments as a call shape; a side resolves `**kw` that comes from the consumer's own functions."""
    positional = 0
    after_star = 0
    star = double_star = False
    keywords: list[str] = []
    for argument in arguments:
        if argument.star == "*":
            if isinstance(argument.term, Sequence) and argument.term.type in ("tuple", "list") and not star:
                positional += len(argument.term.items)
            else:
                star = True
        elif argument.star == "**":
            known = argument.term
            if isinstance(known, Keywords):
                keywords += [key for key, _ in known.items]
                double_star |= known.open
            elif side is not None and isinstance(value := side.value(known), Keys):
                keywords += [key for key, _ in value.items]
                double_star |= value.open
            else:
                double_star = True
        elif argument.name is not None:
            keywords.append(argument.name)
        else:
            positional += 1
            after_star += star
    return CallShape(positional, tuple(dict.fromkeys(keywords)), star, double_star, after_star=after_star)


def argument_named(use: Use, name: str) -> Argument | None:
    """The argument that passes a keyword, be it plain or inside `**kw`."""
    plain = next((a for a in use.arguments if a.name == name), None)
    return plain or next((a for a in use.arguments if a.star == "**"), None)


def argument_at(use: Use, index: int) -> Argument | None:
    """The argument that stands at a position."""
    count = -1
    for argument in use.arguments:
        if argument.star == "*" and isinstance(argument.term, Sequence):
            count += len(argument.term.items)
        elif argument.star == "" and argument.name is None:
            count += 1
        if count >= index:
            return argument
    return None


def exists(value: Value) -> bool:
    """Whether a value's name is known to be there, even if what it is cannot be told."""
    return not isinstance(value, Missing) and not (isinstance(value, UnknownValue) and not value.path)


def path_of(value: Value) -> str | None:
    """The dotted path of what a value is, if it is one thing with a name."""
    match value:
        case ModuleValue(name):
            return name
        case ClassValue(ref) | InstanceValue(ref):
            return ref.path
        case FunctionValue(path=path):
            return path
        case PartialValue(inner):
            return path_of(inner)
        case Options(values):
            return next((p for v in values if (p := path_of(v)) is not None), None)
        case Missing():
            return value.path
        case UnknownValue(path=path):
            return path or None
        case _:
            return None


def _is_uninformative(function: FunctionApi) -> bool:
    """A stub's function has overloads only; an implementation of `*args, **kwargs` says nothing."""
    kinds = {p.kind for p in function.parameters if p.name not in ("self", "cls")}
    return kinds <= {"var-positional", "var-keyword"}


def _fills(decorator: str, name: str) -> bool:
    """Whether a decorator's text says that it provides the argument itself."""
    return f"'{name}'" in decorator or f'"{name}"' in decorator
