"""Reads `audit.json` beside the patches: the audited calls and findings that preflight asks the live library about."""

from __future__ import annotations

from pathlib import Path

import msgspec

from auditor.errors import PatchError
from auditor.model import ConsumerInfo, ProviderInfo
from auditor.patches.header import plain

MAX_BYTES = 64_000_000
SCHEMA = 1


class Site(msgspec.Struct, frozen=True):
    """One audited call, as written before any patch."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    symbol: str
    positional: int
    keywords: tuple[str, ...]
    star: bool
    double_star: bool
    new_signature: str | None
    verdict: str


class FixInfo(msgspec.Struct, frozen=True):
    """How a finding is repaired, if it is."""

    applicability: str
    patch: str | None = None


class FindingInfo(msgspec.Struct, frozen=True):
    """One finding, as far as a run needs it."""

    id: str
    rule: str
    severity: str
    symbol: str
    path: str
    line: int
    column: int
    message: str
    state: str = "open"
    argument: str | None = None
    old_signature: str | None = None
    new_signature: str | None = None
    fix: FixInfo | None = None
    unfixed: str | None = None


class Audit(msgspec.Struct, frozen=True):
    """What the audit behind a set of patches saw."""

    schema: int
    consumer: ConsumerInfo
    providers: tuple[ProviderInfo, ...]
    findings: tuple[FindingInfo, ...]
    call_sites: tuple[Site, ...] = ()


def read(folder: Path) -> Audit:
    """The audit that lies beside a set of patches."""
    file = folder / "audit.json"
    try:
        if file.stat().st_size > MAX_BYTES:
            raise PatchError(f"It is larger than {MAX_BYTES} bytes", where=str(file))
        audit = msgspec.json.decode(file.read_bytes(), type=Audit)
    except OSError as error:
        raise PatchError(
            f"It cannot be read: {error.strerror}", where=str(file), hint="`api-audit scan` writes it with the patches"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise PatchError(f"It is not an audit of this tool: {plain(str(error))}", where=str(file)) from error
    if audit.schema != SCHEMA:
        raise PatchError(f"It has schema {audit.schema}; this runner reads schema {SCHEMA}", where=str(file))
    return audit
