"""A side: one world with the versions it stands for, and what calls mean there."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from auditor.binding import BindError, Binding, CallShape, render
from auditor.model import Signature, Usage, Use
from auditor.portions import portion, tops
from auditor.sides.arguments import shape_of
from auditor.sides.concern import concerns
from auditor.sides.conditions import HasFlags, holds
from auditor.sides.fitting import Fit, fit, takes
from auditor.sides.heirs import Heirs
from auditor.terms import Call, Guard, Term
from auditor.world.calls import Callee, callee, returned
from auditor.world.definitions import LOST
from auditor.world.values import External, FunctionValue, Missing, UnknownValue, Value, alternatives
from auditor.world.world import World

Status: TypeAlias = Literal["fits", "broken", "missing", "unknown"]


class CallOutcome(msgspec.Struct, frozen=True):
    """What a call means on one side."""

    status: Status
    callee: Callee | None = None
    binding: Binding | None = None
    errors: tuple[BindError, ...] = ()
    reason: str = ""
    fitting: Fit | None = None

    def refuser(self, name: str) -> Callee | None:
        """Who refuses a keyword that the callee's `**kwargs` passes on."""
        refusers = self.fitting.refusers if self.fitting is not None else ()
        found = next((by for keyword, by in refusers if keyword == name), None)
        return found if found is not None and self.callee is not None and found.path != self.callee.path else None

    @property
    def by_overload(self) -> bool:
        """Whether the signature is one of several overloads, chosen by the number and names of arguments alone."""
        return self.fitting is not None and self.fitting.by_overload


class Side:
    """A world with the versions it stands for.

    Args:
        world: The consumer together with one release of each provider.
        versions: Import package and distribution name -> version, for version guards.
        providers: Import package -> distribution, of the audited providers.
        concerned: What is remembered of `concerns`, where the sides of one consumer share it.
    """

    def __init__(
        self,
        world: World,
        versions: Mapping[str, str],
        providers: Mapping[str, str],
        concerned: dict[int, bool] | None = None,
    ) -> None:
        self.world = world
        self.versions = versions
        self.providers = providers
        self.tops = tops(providers)
        self.heirs = Heirs(world)
        self._concerned: dict[int, bool] = {} if concerned is None else concerned
        self._calls: dict[int, tuple[CallOutcome, int]] = {}

    def by_default(self, unset: Container[str]) -> Side:
        """The same side where some environment variables are surely not set."""
        return Side(World(self.world.trees, unset), self.versions, self.providers, self._concerned)

    def value(self, term: Term) -> Value:
        """The value of a term on this side."""
        return self.world.evaluate(term)

    def provider_of(self, path: str) -> str | None:
        """The audited distribution that a dotted path belongs to."""
        package = portion(path, self.providers)
        return self.providers[package] if package is not None else None

    def lacks_module(self, name: str) -> bool:
        """Whether a module of this world's packages does not exist."""
        return self.world.owns(name) and not self.world.has_module(name)

    def label(self, provider: str) -> str:
        """`vllm 0.16.0`"""
        version = self.versions.get(provider)
        return f"{provider} {version}" if version else provider

    def concerns(self, use: Use) -> bool:
        """Whether a provider has a say in what a use means, remembered; if none has, nothing about it can drift."""
        if id(use) not in self._concerned:
            self._concerned[id(use)] = concerns(self.world, use)
        return self._concerned[id(use)]

    def reached(self, use: Use) -> bool:
        """Whether the conditions around a use let it run on this side; True where they cannot be told."""
        return all(self.holds(guard) is not False for guard in use.guards)

    def usages(self, use: Use) -> list[Usage]:
        """What becomes of the value of a call on this side."""
        return [usage for usage in use.usages if all(self.holds(guard) is not False for guard in usage.guards)]

    def holds(self, guard: Guard) -> bool | None:
        """Whether one condition is true on this side."""
        return holds(guard, self)

    def flag(self, guard: Guard) -> Sequence[Guard]:
        """What surely holds where a flag of another module is set (or is not, if negated)."""
        trees = [tree for tree in self.world.trees if isinstance(tree, HasFlags)]
        return [part for tree in trees for part in tree.flag(guard)]

    def has_parameter(self, of: Term, name: str) -> bool | None:
        """Whether the signature of a callable, or of a class, names a parameter; None where it cannot be read."""
        candidates = [callee(self.world, v) for v in alternatives(self.value(of))]
        found = {any(p.name == name for p in c.parameters) if c is not None else None for c in candidates}
        return found.pop() if len(found) == 1 else None

    def accepts(self, call: Call) -> bool | None:
        """Whether a call as a term, which passes nothing unpacked, finds its callee and fits it."""
        shape = CallShape(len(call.positional), tuple(name for name, _ in call.keywords))
        status = self._answer(self.value(call.function), shape).status
        return None if status == "unknown" else status == "fits"

    def call(self, use: Use) -> CallOutcome:
        """What a call use means here, remembered."""
        if id(use) not in self._calls:
            self._calls[id(use)] = self.world.apart(self._call, use)
        outcome, basis = self._calls[id(use)]
        self.world.basis |= basis
        return outcome

    def _call(self, use: Use) -> CallOutcome:
        return self._answer(self.value(use.term), self.shape(use))

    def _answer(self, value: Value, shape: CallShape) -> CallOutcome:
        if isinstance(value, Missing):
            return CallOutcome("missing", reason=f"{value.path} does not exist")
        # nothing ever holds what does not exist: of several imports the one that failed gave way to another
        callables = [v for v in alternatives(value) if not _failed(v)] or alternatives(value)
        candidates = [c for v in callables if (c := callee(self.world, v)) is not None]
        if not candidates:
            reason = value.reason if isinstance(value, UnknownValue) else f"no signature for {type(value).__name__}"
            return CallOutcome("unknown", reason=reason)
        outcomes = [self._bound(shape, candidate) for candidate in candidates]
        if len(candidates) < len(callables) and all(o.status == "broken" for o in outcomes):
            return CallOutcome("unknown", reason="one of several callees cannot be read")
        return next((o for o in outcomes if o.status == "fits"), outcomes[0])

    def _bound(self, shape: CallShape, found: Callee) -> CallOutcome:
        fitted = fit(self.world, shape, found)
        return CallOutcome("broken" if fitted.errors else "fits", found, fitted.binding, fitted.errors, fitting=fitted)

    def result(self, use: Use) -> Value:
        """What a call use returns here: by the first overload that accepts it, where there are overloads."""
        return self.results(use)[0]

    def results(self, use: Use) -> list[Value]:
        """What it returns by each overload that accepts it: which one it is may be a matter of types."""
        outcome = self.call(use)
        if outcome.callee is None:
            return [UnknownValue(outcome.reason)]
        value = outcome.callee.value
        overloads = outcome.fitting.overloads if outcome.fitting is not None else ()
        if not overloads or not isinstance(value, FunctionValue):
            return [returned(self.world, value)]
        return [returned(self.world, msgspec.structs.replace(value, api=overload)) for overload in overloads]

    def takes(self, found: Callee, name: str) -> bool | None:
        """Whether a callable accepts a keyword, be it by its `**kwargs`; None where that cannot be told."""
        return takes(self.world, found, name)

    def leaves(self, found: Callee) -> bool:
        """Whether a callable passes its `**kwargs` on to a function outside the world, which knows nothing of them."""
        forwards = found.function.forwards if found.function is not None else ()
        return any(
            isinstance(v, External)
            for forward in forwards
            if forward.passes_kwargs
            for v in alternatives(self.value(forward.function))
        )

    def shape(self, use: Use) -> CallShape:
        """The call's shape, with `**kw` spread where its keys are known on this side."""
        return shape_of(use.arguments, self.value, self.holds)

    def signature(self, found: Callee, *, keep: tuple[str, ...] = ()) -> Signature:
        """The signature for people."""
        is_function = found.function is not None and found.kind == "function"
        returns = found.function.returns if found.function is not None and is_function else None
        name = found.path.rsplit(".", 1)[-1]
        if name in ("__init__", "__new__", "__call__") or (is_function and found.path.count(".") > 1):
            owner = found.path.rsplit(".", 2)[-2]
            name = f"{owner}.{name}" if owner[:1].isupper() else name
        return Signature(render(name, found.parameters, returns, keep=keep), found.module, found.line)


def _failed(value: Value) -> bool:
    """Whether it is an import that must have failed where it was tried."""
    return isinstance(value, Missing) or (isinstance(value, UnknownValue) and value.reason == LOST)
