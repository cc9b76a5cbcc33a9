"""Prunes a consumer: guards that no release of a range needs -> findings -> proven patches -> report."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from auditor.consumer.places import Places
from auditor.consumer.source import Sources
from auditor.decoding import decode_leniently
from auditor.fingerprint import identified
from auditor.model import Applicability, ConsumerInfo, Finding, Patch, Proof, ProviderInfo, Report
from auditor.options import Options
from auditor.patches import hunks, proofs
from auditor.patches.series import PatchSet, folder_name
from auditor.prune.computing import Computer
from auditor.prune.editing import without_guards
from auditor.prune.files import ConsumerFiles
from auditor.prune.guarding import Guard, guards
from auditor.prune.leftovers import leftovers
from auditor.prune.proving import Audits, worse
from auditor.prune.ranging import Opener, Range, ranges
from auditor.prune.telling import finding
from auditor.prune.trying import tried
from auditor.resolution import open_consumer, open_store
from auditor.suppressions import MARK, PRUNED, applied

_LEVELS: tuple[Applicability, ...] = ("safe", "unsafe")
_ROUNDS = 20

_Contents: TypeAlias = dict[str, bytes]
"""Files by path."""
_Refused: TypeAlias = dict[tuple[str, str], str]
"""Why guards stay, by path and text; under no text, all of a file."""


def prune(options: Options, providers: Sequence[str] = (), *, prereleases: bool = False) -> Report:
    """Find the guards of a consumer that a range of releases no longer needs, and write patches without them.

    Args:
        options: The consumer; `against` names the range, or nothing: then what the consumer declares counts.
        providers: Of what is declared, only these.
        prereleases: Whether release candidates and development releases count.

    Returns:
        A report with one finding for each guard.

    Raises:
        AuditError: The consumer or a release could not be had; nothing was written.
    """
    started = time.monotonic()
    with open_store(options) as (store, index):
        sources = open_consumer(options, store, index)
        options.progress("opening releases")
        opener = Opener(options, store, index)
        chosen = ranges(options, providers, sources, opener, prereleases=prereleases)
        pruner = _Pruner(options, sources, chosen, opener)
        options.progress("reading guards")
        report = pruner.report()
        if options.patch_dir is not None or options.triage is not None:
            options.progress("pruning")
            report = pruner.patched(report)
        stats = {
            "files": len(sources.modules),
            "files_touching": len(pruner.paths),
            "releases": sum(len(each.releases) for each in chosen),
            "traffic_bytes": index.traffic.received,
            "requests": index.traffic.requests,
            "seconds": round(time.monotonic() - started, 3),
        }
        return msgspec.structs.replace(report, stats=stats)


class _Pruner:
    def __init__(self, options: Options, sources: Sources, chosen: Sequence[Range], opener: Opener) -> None:
        self.options = options
        self.sources = sources
        self.ranges = chosen
        self.opener = opener
        self.contents = sources.read(sources.modules.values())
        modules = {m for each in chosen for m in Audits(sources, each, opener).touching()}
        self.paths = [path for module, path in sources.modules.items() if module in modules]

    # finding

    def report(self) -> Report:
        """All guards that are not needed, as findings that are triaged."""
        files = ConsumerFiles(self.sources, self.contents)
        found = identified([each for path in self.paths for _, each in self._found(files, path)])
        shown = {each.span.path for each in found} | {p for p, data in self.contents.items() if MARK.encode() in data}
        texts = {path: decode_leniently(self.contents[path]) for path in sorted(shown)}
        judged, _ = applied(found, texts)
        report = Report(
            consumer=ConsumerInfo(
                self.sources.name, self.sources.version, self.sources.origin, len(self.sources.modules)
            ),
            providers=tuple(self._info(each) for each in self.ranges),
            findings=judged,
            files=tuple(self.sources.modules.values()),
            sources=texts,
        )
        return self.options.triage(report) if self.options.triage is not None else report

    def _info(self, of: Range) -> ProviderInfo:
        first, last = (self.opener.release(each.spec) for each in (of.releases[0], of.releases[-1]))
        return ProviderInfo(
            of.claim.provider,
            tuple(last.packages),
            of.releases[0].version,
            of.releases[-1].version,
            first.origin,
            last.origin,
            f"the range {of}",
        )

    def _found(self, files: ConsumerFiles, path: str) -> Iterator[tuple[Guard, Finding]]:
        """The guards of a file that are not inside what goes, each with what is said of it."""
        file = files.scopes(path)
        if file is None:
            return
        places = Places(path, decode_leniently(files.contents[path]))
        gone: set[int] = set()
        known: set[int] = set()
        for of in self.ranges:
            computers = [Computer(files, of.claim, of.releases[n], version, tried) for version, n in of.versions]
            for guard in guards(file, computers):
                around = {id(guard.node), *(id(outer) for outer in file.up(guard.node))}
                if id(guard.node) not in known and not around & gone:
                    known.add(id(guard.node))
                    gone.update(id(node) for node in guard.dropped)
                    yield guard, finding(guard, of, file, places)

    # pruning

    def patched(self, report: Report) -> Report:
        """The report with its patches, written where the options say; what had to stay says why."""
        refused = {(f.span.path, f.text): "" for f in report.findings if f.state != "open"}
        state, patches = self.contents, list[Patch]()
        name = f"{folder_name(report.consumer, report.providers)}--prune"
        for level in _LEVELS:
            if not any(f.fix and f.fix.applicability == level and f.state == "open" for f in report.findings):
                continue
            after = self._proven(state, level, refused)
            changed = [path for path in self.paths if after[path] != state[path]]
            if changed:
                file = f"{(len(patches) + 1) * 10:03d}-{PRUNED}.patch"
                patches.append(self._patch(file, level, report, state, after, changed, refused))
            state = after
        folder = self.options.patch_dir / name if self.options.patch_dir is not None else Path(name)
        findings = [self._placed(f, patches, refused, folder.as_posix()) for f in report.findings]
        report = msgspec.structs.replace(report, patches=tuple(patches), findings=tuple(findings))
        if self.options.patch_dir is not None and (patches or (self.options.patch_dir / name).exists()):
            from auditor.patches.writer import write_set

            told = tuple(str(each) for each in self.ranges)
            write_set(
                self.options.patch_dir,
                name,
                PatchSet(report.consumer.name, report.consumer.version, told, report.patches),
            )
        return report

    def _proven(self, state: _Contents, level: Applicability, refused: _Refused) -> _Contents:
        """The sources without the guards of a level; files in which a proof fails stay as they were."""
        stays: set[str] = set()
        while True:
            after = self._fixpoint(state, level, refused, stays)
            changed = {path: after[path] for path in self.paths if after[path] != state[path]}
            blamed: dict[str, str] = {}
            for of in self.ranges if changed else ():
                before = self.sources.replaced(state)
                blamed |= worse(before, changed, of, self.opener, range(len(of.releases)))
            if changed and (objection := self._objection(state, after, list(changed))) is not None:
                blamed |= dict.fromkeys(changed, f"git does not take the patch: {objection}")
            blamed = {path: why for path, why in blamed.items() if path not in stays} if changed else {}
            if not blamed:
                return after
            named = blamed.keys() & changed.keys() or changed.keys()
            stays |= named
            for path in named:
                refused[path, ""] = next(iter(blamed.values())) if path not in blamed else blamed[path]

    def _objection(self, before: _Contents, after: _Contents, changed: list[str]) -> str | None:
        return proofs.git_objection([hunks.make(path, before[path], after[path]) for path in changed], before, after)

    def _fixpoint(self, state: _Contents, level: Applicability, refused: _Refused, stays: set[str]) -> _Contents:
        """Prune until a further round finds nothing: a guard may hide another."""
        files = ConsumerFiles(self.sources, state)
        for _ in range(_ROUNDS):
            news = False
            for path in self.paths:
                if path not in stays:
                    news |= self._round(files, path, level, refused)
            if not news:
                break
        return files.contents

    def _round(self, files: ConsumerFiles, path: str, level: Applicability, refused: _Refused) -> bool:
        found = [
            (guard, said)
            for guard, said in self._found(files, path)
            if said.fix is not None and said.fix.applicability in ("safe", level) and (path, said.text) not in refused
        ]
        file = files.scopes(path)
        if not found or file is None:
            return False
        names = Computer(files, self.ranges[0].claim, self.ranges[0].releases[0], "", lambda *_: None).names
        before = files.contents[path]
        after, reasons = without_guards(
            path,
            before,
            file,
            [guard for guard, _ in found],
            lambda was, now, text: leftovers(
                was, now, text, names, lambda name, constant: files.is_used(path, name, as_attribute=constant)
            ),
        )
        for number, why in reasons.items():
            refused[path, found[number][1].text] = why
        files.replace(path, after)
        return after != before

    def _patch(
        self,
        name: str,
        level: Applicability,
        report: Report,
        before: _Contents,
        after: _Contents,
        changed: Sequence[str],
        refused: _Refused,
    ) -> Patch:
        mine = [
            f
            for f in report.findings
            if f.fix
            and f.fix.applicability == level
            and f.span.path in changed
            and (f.span.path, f.text) not in refused
        ]
        releases = "; ".join(
            f"{each.claim.provider} {', '.join(r.version for r in each.releases)}" for each in self.ranges
        )
        reasons = dict.fromkeys(f.fix.reason for f in mine if f.fix)
        return Patch(
            name=name,
            rule=PRUNED,
            applicability=level,
            reason=" ".join(f"{reason}." for reason in reasons),
            symbols=tuple(dict.fromkeys(f.symbol for f in mine)),
            files=tuple(hunks.make(path, before[path], after[path]) for path in changed),
            proofs=(
                Proof("parses", f"every patched file compiles ({len(changed)})"),
                Proof("contained", "only guards and what they alone used change; every name that is read is still set"),
                Proof("binds", f"every use fits as before, and no finding is new, in each of: {releases}"),
                Proof("idempotent", "a second run finds none of them and edits nothing"),
                Proof(
                    "applies", "applies and reverses byte by byte" + (" with `git apply`" if proofs.has_git() else "")
                ),
            ),
            findings=tuple(f.id for f in mine),
        )

    @staticmethod
    def _placed(one: Finding, patches: Sequence[Patch], refused: _Refused, folder: str) -> Finding:
        """The finding with the patch that takes its guard out, or why none does."""
        patch = next((p for p in patches if one.id in p.findings), None)
        if one.fix is None or one.state != "open":
            return one
        if patch is not None:
            return msgspec.structs.replace(one, fix=msgspec.structs.replace(one.fix, patch=f"{folder}/{patch.name}"))
        why = (
            refused.get((one.span.path, one.text))
            or refused.get((one.span.path, ""))
            or "Its place was not found again"
        )
        return msgspec.structs.replace(one, fix=None, unfixed=why)
