"""The old side of providers of which no old release is known: what surely does not fit the new one did fit there."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import msgspec

from auditor.model import Finding, Use
from auditor.portions import portion
from auditor.provider.snapshot import Snapshot
from auditor.sides.side import CallOutcome, Side
from auditor.terms import Call, Member, Term
from auditor.world.values import ClassValue, InstanceValue, Missing, UnknownValue, Value, alternatives
from auditor.world.world import World


class PresumedSide(Side):
    """A side with the new releases in place of the old ones of some providers.

    What is the same on both sides is no drift, so that only names and calls remain for which this side says otherwise:
    that they were there, and that they did fit.

    Args:
        world: The consumer together with one release of each provider.
        versions: As for any side; nothing is said of the presumed ones.
        providers: As for any side.
        presumed: Import packages of the providers whose old release is not known.
        concerned: As for any side.
    """

    def __init__(
        self,
        world: World,
        versions: Mapping[str, str],
        providers: Mapping[str, str],
        presumed: Collection[str],
        concerned: dict[int, bool] | None = None,
    ) -> None:
        super().__init__(world, versions, providers, concerned)
        self.presumed = frozenset(presumed)
        self._compiled: dict[tuple[str, str], bool] = {}

    def value(self, term: Term) -> Value:
        """The value of a term; what is surely missing was there, though nobody can say what it was."""
        value = super().value(term)
        if isinstance(value, Missing) and value.certain and self._presumes(value.path) and self._is_settled(term):
            module = value.kind in ("module", "member of module")
            if not (module and self._may_be_compiled(value.path)):
                return UnknownValue("no old side is known", value.path)
        return value

    def lacks_module(self, name: str) -> bool:
        """Whether this side surely has no module of this name."""
        return super().lacks_module(name) and not (self._presumes(name) and not self._may_be_compiled(name))

    def _call(self, use: Use) -> CallOutcome:
        outcome = super()._call(use)
        if outcome.status != "broken" or outcome.callee is None or outcome.by_overload:
            return outcome
        refusers = outcome.fitting.refusers if outcome.fitting is not None else ()
        blamed = [outcome.callee.path, *(by.path for _, by in refusers)]
        certain = outcome.binding is None or outcome.binding.certain
        if certain and any(map(self._presumes, blamed)) and self._is_settled(use.term):
            return msgspec.structs.replace(outcome, status="fits", errors=())
        return outcome

    def _presumes(self, path: str) -> bool:
        return portion(path, self.presumed) is not None

    def _is_settled(self, term: Term) -> bool:
        """Whether an access does not depend on an object that may be of a subclass with more to offer."""
        if not isinstance(term, Member) or not any(isinstance(v, InstanceValue) for v in alternatives(self._of(term))):
            return True
        maker = term.of.function if isinstance(term.of, Call) else None
        return maker is not None and isinstance(self.world.evaluate(maker), ClassValue)

    def _of(self, term: Member) -> Value:
        return self.world.evaluate(term.of)

    def _may_be_compiled(self, path: str) -> bool:
        place = first_missing(self.world, path)
        if place not in self._compiled:
            self._compiled[place] = may_be_compiled(self.world, *place)
        return self._compiled[place]


def first_missing(world: World, path: str) -> tuple[str, str]:
    """The package up to which a dotted path is there, and the next name of the path."""
    parts = path.split(".")
    known = next((n for n in range(len(parts) - 1, 0, -1) if world.has_module(".".join(parts[:n]))), 0)
    return ".".join(parts[:known]), parts[known]


def may_be_compiled(world: World, package: str, missing: str) -> bool:
    """Whether a name that a package does not define may be a module without source: whether the provider's own
    sources import it from there; True where they cannot be searched.
    """
    tree = world.tree(package) if package else None
    if not isinstance(tree, Snapshot):
        return True
    name = re.escape(missing)
    above = rf"(?:\.+|{re.escape(package)})"
    pattern = (
        rf"^[ \t]*(?:from|import)[ \t]+(?:\.+|{re.escape(package)}\.){name}\b"
        rf"|^[ \t]*from[ \t]+{above}[ \t]+import[ \t]+(?:\([^)]*|[^\n]*)\b{name}\b"
    )
    return next(iter(tree.search(missing, pattern, package)), None) is not None


def presumed(finding: Finding) -> Finding:
    """A finding about a provider whose old release is not known: that this is drift is a guess."""
    return msgspec.structs.replace(
        finding,
        confidence="low",
        message=f"{finding.message} (no old side known)",
        old_signature=None,
        fix=None,
        unfixed="without an old side nobody knows what it was: name it with --from",
    )
