"""Asks the live library, in seconds, whether it takes every audited call: before the patches, and after them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditor.errors import PatchError
from auditor.patches.header import plain
from auditor.patches.series import PatchSet, package
from auditor.runner import calls, signatures
from auditor.runner.audit import Audit, Site
from auditor.runner.overlay import Overlay
from auditor.runner.probing import ask


@dataclass(frozen=True)
class Row:
    """One thing that was asked: a call, an import, a name in a string, a method called by name, a patched module."""

    kind: str
    path: str
    line: int
    symbol: str
    before: str | None
    """Why the unpatched code fails here; None where it does not, or where the patches have brought this in."""
    after: str | None
    signature: str | None = None
    drift: str | None = None
    """How the live signature differs from the snapshot's."""
    unknown: str | None = None
    """Why nothing can be said."""


@dataclass(frozen=True)
class Result:
    """Everything that preflight found."""

    rows: tuple[Row, ...]
    seconds: float
    python: str
    modules: int
    unrepaired: tuple[str, ...] = field(default=())
    """Errors of the audit that no patch repairs."""

    def failing(self, *, patched: bool) -> list[Row]:
        """What would fail at run time."""
        return [row for row in self.rows if (row.after if patched else row.before) is not None]


def preflight(patch_set: PatchSet, audit: Audit, overlay: Overlay, *, timeout: float = 300) -> Result:
    """Build the questions, let the target's Python answer them, and say what fits."""
    started = time.monotonic()
    question = _Question(patch_set, audit, overlay)
    answer = ask(question.request, overlay, timeout)
    rows = tuple(question.rows(answer))
    return Result(
        rows=rows,
        seconds=time.monotonic() - started,
        python=str(answer["python"]),
        modules=len(answer["modules"]),
        unrepaired=tuple(_unrepaired(audit)),
    )


def _unrepaired(audit: Audit) -> Iterator[str]:
    for finding in audit.findings:
        repaired = finding.fix is not None and finding.fix.patch is not None
        if finding.severity == "error" and finding.state == "open" and not repaired:
            yield f"{plain(finding.path)}:{finding.line} {plain(finding.message)}"


class _Question:
    """What is to be asked, and how the answers are read."""

    def __init__(self, patch_set: PatchSet, audit: Audit, overlay: Overlay) -> None:
        self.audit = audit
        self.own = patch_set.packages
        self.providers = tuple(sorted({name for provider in audit.providers for name in provider.packages}))
        self.sources = _sources(overlay, [site.path for site in audit.call_sites] + sorted(patch_set.chains()))
        self.before = {path: calls.find(old) for path, (old, _) in self.sources.items()}
        self.after = {path: calls.find(new) for path, (_, new) in self.sources.items()}
        self.pairs = {path: calls.follow(self.before[path], self.after[path]) for path in self.sources}
        self.names = {path: self._names(path) for path in self.sources}
        self.request = {
            "modules": [module(path) for path in sorted(patch_set.chains()) if path.endswith(".py")],
            "sites": [self._site(number, site) for number, site in enumerate(audit.call_sites)],
            "names": sorted({name for old, new in self.names.values() for name in _wanted(old, new)}),
            "methods": sorted({name for _, new in self.names.values() for _, name in new.methods}),
            "classes": self._classes(),
            "loose": [call for path in self.sources for call in self._loose(path)],
        }

    def _names(self, path: str) -> tuple[calls.Names, calls.Names]:
        packages = (*self.own, *self.providers)
        old_names, new_names = (calls.names(source, packages, self.audit.by_name) for source in self.sources[path])
        return old_names, new_names

    def _classes(self) -> list[str]:
        """Where methods that are called by name may be: the classes that rules know, and those that strings spell."""
        known = [path for one in self.audit.by_name for path in one.classes]
        return [*known, *sorted({name for _, new in self.names.values() for _, name in new.dotted})]

    def _site(self, number: int, site: Site) -> dict[str, Any]:
        shape = calls.Shape(site.positional, site.keywords, site.star, site.double_star)
        after, _ = self._moved(site, shape)
        return {
            "id": number,
            "symbol": site.symbol,
            "before": _plain_shape(shape),
            "after": _plain_shape(after) if after else None,
        }

    def _moved(self, site: Site, shape: calls.Shape) -> tuple[calls.Shape | None, int]:
        """The call after the patches and its line there; None where it is gone."""
        if site.path not in self.sources:
            return shape, site.line
        old, new = self.before[site.path], self.after[site.path]
        index = calls.locate(site, old)
        if index is None:
            return shape, site.line
        there = self.pairs[site.path].get(index)
        if there is None:
            return None, site.line
        return calls.reshape(site, old[index].shape, new[there].shape), new[there].line

    def _loose(self, path: str) -> list[dict[str, Any]]:
        """Calls that the patches have brought in."""
        known = set(self.pairs[path].values())
        added = [call for index, call in enumerate(self.after[path]) if index not in known]
        return [
            {
                "path": path,
                "line": call.line,
                "module": module(path),
                "callee": call.callee,
                "packages": self.providers,
                **_plain_shape(call.shape),
            }
            for call in added
            if call.callee.replace(".", "").isidentifier() and not call.callee.startswith("self.")
        ]

    def rows(self, answer: dict[str, Any]) -> list[Row]:
        """The answers, module by module and line by line."""
        found = [self._module_row(item) for item in answer["modules"]]
        for site, item in zip(self.audit.call_sites, answer["sites"], strict=True):
            found.append(self._site_row(site, item))
        for path in self.sources:
            found += self._name_rows(path, answer)
        for item in answer["loose"]:
            if item["known"]:
                found.append(
                    Row("call", item["path"], item["line"], item["symbol"], None, item["error"], item["signature"])
                )
        return sorted(found, key=lambda row: (row.path, row.line, row.kind, row.symbol))

    def _module_row(self, item: dict[str, Any]) -> Row:
        path = item["module"].replace(".", "/") + ".py"
        return Row("module", path, 1, item["module"], None, item["error"])

    def _site_row(self, site: Site, item: dict[str, Any]) -> Row:
        shape = calls.Shape(site.positional, site.keywords, site.star, site.double_star)
        gone = self._moved(site, shape)[0] is None
        drift = None
        if item["parameters"] is not None and site.new_signature:
            drift = signatures.difference(site.new_signature, item["parameters"])
        before, after = (item[side]["error"] if item[side] else None for side in ("before", "after"))
        if item["error"]:
            before, after = item["error"], None if gone else item["error"]
        return Row(
            "call",
            site.path,
            site.line,
            site.symbol,
            before,
            after,
            item["signature"],
            drift,
            item.get("unknown"),
        )

    def _name_rows(self, path: str, answer: dict[str, Any]) -> list[Row]:
        old, new = self.names[path]
        rows = []
        for kind in ("imports", "dotted"):
            was, now = dict(_swapped(getattr(old, kind))), dict(_swapped(getattr(new, kind)))
            for name in {**was, **now}:
                error = answer["names"][name]
                rows.append(
                    Row(
                        "import" if kind == "imports" else "string",
                        path,
                        was.get(name) or now[name],
                        name,
                        error if name in was else None,
                        error if name in now else None,
                    )
                )
        for line, name in new.methods:
            error = answer["methods"][name]
            rows.append(Row("method", path, line, name, error, error))
        return rows


def _swapped(pairs: Sequence[tuple[int, str]]) -> list[tuple[str, int]]:
    return [(name, line) for line, name in pairs]


def _wanted(old: calls.Names, new: calls.Names) -> set[str]:
    return {name for side in (old, new) for kind in (side.imports, side.dotted) for _, name in kind}


def _plain_shape(shape: calls.Shape) -> dict[str, Any]:
    return {
        "positional": shape.positional,
        "keywords": list(shape.keywords),
        "star": shape.star,
        "double_star": shape.double_star,
    }


def module(path: str) -> str:
    """The dotted name of the module that a patched path is."""
    name = path.removeprefix("src/") if package(path) != "src" else path
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _sources(overlay: Overlay, paths: Sequence[str]) -> dict[str, tuple[bytes, bytes]]:
    """Each file as it lies in the environment, and as it lies in the overlay."""
    found: dict[str, tuple[bytes, bytes]] = {}
    for path in dict.fromkeys(paths):
        name = path.removeprefix("src/")
        head, _, rest = name.partition("/")
        place = overlay.target.packages.get(head)
        origin = place / rest if place else None
        copy = overlay.packages / name
        if path.endswith(".py") and origin is not None and origin.is_file() and copy.is_file():
            sources = (origin.read_bytes(), copy.read_bytes())
            try:
                for source in sources:
                    compile(source, name, "exec", dont_inherit=True)
            except (SyntaxError, ValueError) as error:
                raise PatchError("It cannot be read as Python", where=str(origin)) from error
            found[path] = sources
    return found
