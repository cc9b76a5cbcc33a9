"""Checks a whole file against the hashes that an index publishes for it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from auditor.errors import ArchiveError
from auditor.packages.limits import MIB

_ORDER = ("sha256", "sha512", "sha384", "sha224", "blake2b", "sha1", "md5")


class Checksum:
    """A sink that passes bytes on and knows their hash; without any published hash everything passes."""

    def __init__(self, hashes: Mapping[str, str], where: str) -> None:
        self._where = where
        self._algorithm = next((name for name in _ORDER if name in hashes), None)
        self._expected = hashes.get(self._algorithm or "", "").lower()
        self._target: BinaryIO | None = None
        self._hash = self._new()

    def restart(self, target: BinaryIO) -> None:
        """Begin anew."""
        self._target = target
        self._hash = self._new()

    def __call__(self, chunk: bytes) -> None:
        """Take some bytes."""
        self._hash.update(chunk)
        if self._target is not None:
            self._target.write(chunk)

    def finish(self) -> None:
        """Refuse what does not have the published hash."""
        if self._algorithm is not None and self._hash.hexdigest() != self._expected:
            raise ArchiveError(
                f"refused: its {self._algorithm} is not the one that the index publishes", where=self._where
            )

    def check_file(self, path: Path) -> None:
        """Refuse a local file that does not have the published hash; files without one are not read."""
        if self._algorithm is None:
            return
        with path.open("rb") as file:
            while chunk := file.read(MIB):
                self(chunk)
        self.finish()

    def _new(self) -> hashlib._Hash:
        return hashlib.new(self._algorithm or "sha256", usedforsecurity=False)
