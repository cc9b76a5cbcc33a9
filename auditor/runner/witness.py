"""Writes a witness: a small script that shows a finding's TypeError before the patches, and its absence after them."""

from __future__ import annotations

from pathlib import Path

from auditor.errors import PatchError
from auditor.patches.header import plain
from auditor.runner import calls
from auditor.runner.audit import Audit, FindingInfo, Site
from auditor.runner.overlay import Overlay

_SCRIPT = '''\
"""Witness of {rule} ({id}): {where}

{message}
Run it with the Python of the environment that has {providers}. Nothing of them is called: only signatures are bound.
Exit code 0: the unpatched call is refused and the patched one accepted; 1: it is otherwise.
"""

import importlib
import inspect
import sys

SYMBOL = {symbol!r}
BEFORE = {before}
AFTER = {after}


def found():
    """What the symbol is in this environment, and what holds it."""
    parts = SYMBOL.split(".")
    for length in range(len(parts), 0, -1):
        try:
            target, holder = importlib.import_module(".".join(parts[:length])), None
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            holder, target = target, getattr(target, part)
        return target, holder
    raise SystemExit(f"{{SYMBOL}} is not there")


def refused(shape):
    """The TypeError that Python raises for a call of this shape, as text; None if it accepts it."""
    target, holder = found()
    positional, keywords = shape
    method = inspect.isclass(holder) and inspect.isfunction(target)
    method = method and not isinstance(inspect.getattr_static(holder, target.__name__, None), staticmethod)
    try:
        inspect.signature(target).bind(*[None] * (positional + method), **dict.fromkeys(keywords))
    except TypeError as error:
        return f"TypeError: {{error}}"
    return None


before, after = refused(BEFORE), refused(AFTER)
print("unpatched:", before or "accepted")
print("patched:  ", after or "accepted")
sys.exit(0 if before and not after else 1)
'''


def choose(audit: Audit, wanted: str) -> FindingInfo:
    """The finding whose id begins as asked."""
    found = [finding for finding in audit.findings if wanted and finding.id.startswith(wanted)]
    if len(found) != 1:
        what = "more than one finding begins" if found else "no finding begins"
        known = ", ".join(plain(finding.id) for finding in audit.findings[:20])
        raise PatchError(f"{what.capitalize()} with `{plain(wanted)}`", where="audit.json", hint=f"There are: {known}")
    return found[0]


def site_of(audit: Audit, finding: FindingInfo) -> Site:
    """The audited call at which a finding stands."""
    here = (finding.line, finding.column)
    sites = [site for site in audit.call_sites if site.path == finding.path]
    at = [site for site in sites if (site.line, site.column) == here]
    inside = [site for site in sites if (site.line, site.column) <= here < (site.end_line, site.end_column)]
    if not (at or inside):
        raise PatchError(
            f"Finding {plain(finding.id)} concerns no call, so no call can witness it", where=plain(finding.path)
        )
    return at[0] if at else max(inside, key=lambda site: (site.line, site.column))


def render(audit: Audit, finding: FindingInfo, overlay: Overlay) -> str:
    """The script's text."""
    site = site_of(audit, finding)
    shape = calls.Shape(site.positional, site.keywords, site.star, site.double_star)
    if site.star or site.double_star:
        raise PatchError("The call unpacks something unknown, so it has no fixed shape", where=plain(finding.path))
    after = _patched(site, overlay)
    if after is None:
        raise PatchError("The patches remove the call, so there is nothing to bind", where=plain(finding.path))
    return _SCRIPT.format(
        rule=_doc(finding.rule),
        id=_doc(finding.id),
        where=_doc(f"{finding.path}:{finding.line}"),
        message=_doc(finding.message),
        providers=_doc(", ".join(f"{provider.name} {provider.new}" for provider in audit.providers)),
        symbol=site.symbol,
        before=_shape(shape),
        after=_shape(after),
    )


def _patched(site: Site, overlay: Overlay) -> calls.Shape | None:
    name = site.path.removeprefix("src/")
    head, _, rest = name.partition("/")
    try:
        before = calls.find((overlay.target.packages[head] / rest).read_bytes())
        after = calls.find((overlay.packages / name).read_bytes())
    except (OSError, KeyError, SyntaxError) as error:
        raise PatchError("It cannot be read", where=plain(site.path)) from error
    index = calls.locate(site, before)
    there = calls.follow(before, after).get(index) if index is not None else None
    if index is None or there is None:
        return None
    return calls.reshape(site, before[index].shape, after[there].shape)


def _shape(shape: calls.Shape) -> str:
    return repr((shape.positional, list(shape.keywords)))


def _doc(text: str) -> str:
    """Text that can stand in a docstring."""
    return plain(text).replace("\\", "\\\\").replace('"', "'")


def write(path: Path, text: str) -> None:
    """The script as a file."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PatchError(f"It cannot be written: {error.strerror}", where=str(path)) from error
