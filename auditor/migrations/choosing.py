"""Which rules an audit needs: those about its providers, and those about other packages that the consumer imports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path

from auditor.consumer.source import Sources
from auditor.consumer.tree import Mention
from auditor.migrations import subjects
from auditor.rulepack import Pack, load_packs
from auditor.rulepack.loader import Records


def packs_for(folders: Sequence[Path], sources: Sources, audited: Collection[str], store: Records) -> list[Pack]:
    """The rules of interest, the built-in ones first; `audited` has the providers' own and import names."""

    @cache
    def wanted(provider: str) -> bool:
        if provider in audited:
            return True
        if provider in sources.packages:
            return False
        imported = re.compile(rb"^[ \t]*(?:from|import)[ \t]+" + re.escape(provider.encode()) + rb"\b", re.MULTILINE)
        return any(imported.search(text) for text in sources.read(sources.modules.values()).values())

    return load_packs(folders, wanted, store)


def packages(pack: Pack) -> Iterator[str]:
    """Import names of the packages that a rule is about; its folder's name where it names none."""
    match, dispatch = pack.rule.match, pack.rule.dispatch
    names = () if match is None else (match.call or match.attribute or match.subclass or match.imports)
    named = [n.split(".", 1)[0] for n in subjects.paths(dispatch.call if dispatch else names) if not n.startswith("*.")]
    yield from dict.fromkeys(named or [pack.provider])


def outsiders(packs: Sequence[Pack], providers: Collection[str]) -> dict[str, list[Mention]]:
    """Packages that are not audited but named by rules, with what makes a file worth reading for each rule."""
    found: dict[str, list[Mention]] = defaultdict(list)
    for pack in packs:
        match = pack.rule.match
        if match is None or pack.rule.evidence.new or pack.rule.evidence.old:
            continue  # nothing is known of a package that is not audited, so evidence about it is never there
        names = subjects.last_names(match.call or match.attribute or match.imports or match.subclass)
        words = set(match.with_)
        for context in match.beside.values():
            words |= set() if context.optional else set(context.with_)
        for package in packages(pack):
            if package not in providers:
                found[package].append((frozenset(names), frozenset(words)))
    return dict(found)
