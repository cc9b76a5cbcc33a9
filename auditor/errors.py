"""Every failure that the tool anticipates, as one tree: what went wrong, where, and what to do next."""

from __future__ import annotations


class AuditError(Exception):
    """A failure with a one-line explanation for the user; the command line turns it into exit code 2.

    Args:
        what: What went wrong, as a sentence without its final full stop.
        where: The file, package or URL it concerns, if any.
        hint: What the user can do next, if anything.
    """

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f". {self.hint}" if self.hint else ""
        return f"{place}{self.what}{advice}"


class SpecError(AuditError):
    """A package specification that cannot be read or resolved."""


class PackageIndexError(AuditError):
    """The package index could not be reached, or answered with something unusable."""


class OfflineError(PackageIndexError):
    """Something that is not in the store yet is needed, and the network is forbidden."""


class ArchiveError(AuditError):
    """A wheel, sdist or tree that is damaged, hostile or over a limit."""


class StoreError(AuditError):
    """The on-disk store cannot be used, or lacks what an offline run needs."""


class RuleError(AuditError):
    """A rule file that does not fit the schema."""


class ConfigError(AuditError):
    """A configuration value that is unknown or of the wrong type."""


class PatchError(AuditError):
    """A patch set that cannot be read, does not fit its target, or was tampered with."""
