"""Runs the rules of interest over a consumer's uses, and merges what they say with the findings of the checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from auditor.consumer.analysis import FileAnalysis
from auditor.migrations import subjects
from auditor.migrations.choosing import packages
from auditor.migrations.dispatching import dispatched
from auditor.migrations.evidence import holds
from auditor.migrations.matching import Matcher
from auditor.migrations.places import File, Found
from auditor.migrations.syntax import Syntax
from auditor.migrations.writing import write
from auditor.model import Finding, Severity, Use
from auditor.rulepack import Pack
from auditor.sides import Side

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Migrations:
    """The rules, bound to both sides of an audit.

    Args:
        packs: The rules of interest.
        old: The side that the consumer was written for.
        new: The side that it must run on.
        changed: Whether a provider, by its import name, is another release on the new side; None asks for any.
        source: The decoded text of a consumer file.
        wanted: Whether the findings of a rule in a file are asked for; one that is not explains nothing away.
    """

    def __init__(
        self,
        packs: Sequence[Pack],
        old: Side,
        new: Side,
        changed: Callable[[str], bool],
        source: Callable[[str], str],
        wanted: Callable[[str, str], bool],
    ) -> None:
        self.packs = packs
        self.matcher = Matcher(old, new)
        self.old, self.new = old, new
        self.changed = changed
        self.source = source
        self.wanted = wanted
        self._by_name: dict[str, list[Pack]] = defaultdict(list)
        for pack in packs:
            for name in _names(pack):
                self._by_name[name].append(pack)
        self._applies: dict[str, bool] = {}

    def explained(self, findings: Iterable[Finding], analysis: FileAnalysis) -> list[Finding]:
        """The findings of the checks in a file, those that a rule explains replaced by what the rule says."""
        result = list(findings)
        if not self.packs:
            return result
        mine: dict[tuple[object, ...], Finding] = {}
        for pack, found in self._matches(analysis):
            left = [(one, _unexplained(one, pack, found)) for one in result]
            explained = [one for one, kept in left if kept is not one]
            if found.use.kind == "import" and pack.rule.replaces and not explained:
                continue  # fine as it stands: it never resolved, or there is another way beside it
            result = [kept for _, kept in left if kept is not None]
            finding = write(pack, found, self.matcher)
            if found.use.kind == "import" and explained:
                finding = msgspec.structs.replace(finding, severity=_milder(finding, *explained))
            mine.setdefault(_identity(finding), finding)
        return [*result, *mine.values()]

    def dispatched(self, analyses: Sequence[FileAnalysis], beside: Iterable[Finding]) -> Iterator[Finding]:
        """What the rules about methods that are called by their name say of all files, beside what is found already."""
        known = set(map(_identity, beside))
        for pack in self.packs:
            if pack.rule.dispatch is not None and self.applies(pack):
                for finding in dispatched(pack, analyses, self.matcher):
                    if _identity(finding) not in known:
                        known.add(_identity(finding))
                        yield finding

    def _matches(self, analysis: FileAnalysis) -> Iterator[tuple[Pack, Found]]:
        file = File(analysis, self._parsed)
        audited = not self.new.tops.isdisjoint(analysis.imports)
        for loose, uses in ((False, analysis.uses), (True, analysis.loose)):
            for use in uses:
                for pack in self._candidates(use, loose=loose):
                    match = pack.rule.match
                    if match is None or not self.wanted(pack.id, use.span.path):
                        continue
                    if not audited and not self._is_audited(pack):
                        continue  # what other packages do concerns an audit only beside what is audited
                    if not self.new.reached(use) or not self.applies(pack):
                        continue
                    found = self.matcher.match(match, use, file, loose=loose)
                    if found is not None:
                        yield pack, found

    def _candidates(self, use: Use, *, loose: bool) -> list[Pack]:
        by_name = self._by_name
        if use.kind == "class":
            names = {name for name in by_name if name.startswith("class ")}
        elif loose:
            names = {use.text.rsplit(".", 1)[-1]}
        else:
            names = subjects.names_of(use, self.old, self.new)
        return list({id(pack): pack for name in names for pack in by_name.get(name, ())}.values())

    def applies(self, pack: Pack) -> bool:
        """Whether a rule applies between these releases, by its evidence."""
        if pack.id not in self._applies:
            self._applies[pack.id] = self._judged(pack)
        return self._applies[pack.id]

    def _is_audited(self, pack: Pack) -> bool:
        return any(package in self.new.providers for package in packages(pack))

    def _judged(self, pack: Pack) -> bool:
        rule = pack.rule
        package = next(packages(pack))
        if not self.changed(package):
            return False
        if rule.versions and not _within(rule.versions, self.new.versions.get(package)):
            return False
        if rule.evidence.new and holds(rule.evidence.new, self.old):
            return False  # it was so before: no drift
        return holds(rule.evidence.new, self.new) and holds(rule.evidence.old, self.old)

    def _parsed(self, path: str) -> Syntax | None:
        try:
            return Syntax(path, self.source(path))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _identity(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.span, finding.symbol


def _names(pack: Pack) -> set[str]:
    match = pack.rule.match
    if match is None:
        return set()
    if match.subclass:
        return {f"class {name}" for name in subjects.paths(match.subclass)}
    if match.imports:
        return subjects.last_names(match.imports)
    return subjects.last_names(match.call or match.attribute)


def _within(versions: str, version: str | None) -> bool:
    """Whether a release is in the range; one without a version, such as a checkout, is judged by evidence alone."""
    if version is None:
        return True
    from packaging.specifiers import SpecifierSet
    from packaging.version import InvalidVersion, Version

    try:
        return SpecifierSet(versions).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return True


def _milder(*findings: Finding) -> Severity:
    """The mildest severity: what makes a failing import bearable, the checks know."""
    return max((finding.severity for finding in findings), key=_SEVERITIES.index)


def _unexplained(finding: Finding, pack: Pack, found: Found) -> Finding | None:
    """What is left of a core finding next to a rule at the same place."""
    rule, use = pack.rule, found.use
    if finding.rule not in rule.replaces or finding.span.path != use.span.path:
        return finding
    spans = {use.span, use.name_span, *(u.span for u in use.usages), *(a.span for a in use.arguments)}
    if finding.span not in spans:
        return finding
    if rule.argument is None or finding.argument is None:
        return None
    named = finding.argument.split(", ")
    if rule.argument not in named:
        return finding
    return None if len(named) == 1 else _without(finding, rule.argument)


def _without(finding: Finding, argument: str) -> Finding:
    """A finding on several arguments without one of them."""
    names = [name for name in (finding.argument or "").split(", ") if name != argument]
    head, _, listed = finding.message.partition(": ")
    head = head.replace("defaults", "default") if len(names) == 1 else head
    parts = [part for part in listed.split(", `") if not part.lstrip("`").startswith(f"{argument}`")]
    message = f"{head}: {', '.join(part if part.startswith('`') else f'`{part}' for part in parts)}"
    fix = finding.fix
    if fix is not None:
        repairs = tuple(r for r in fix.repairs if r.options.get("name") != argument)
        fix = msgspec.structs.replace(fix, repairs=repairs) if repairs else None
    return msgspec.structs.replace(finding, message=message, argument=", ".join(names), fix=fix)
