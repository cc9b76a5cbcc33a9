"""Writes a set of patches: one file per rule with a header for people and tools, and the `series` that orders them."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import jinja2

from auditor.errors import PatchError
from auditor.model import Patch
from auditor.patches import hunks
from auditor.patches.header import FORMAT, plain
from auditor.patches.series import PatchSet

_TEMPLATE = """\
# Rule: {{ patch.rule | plain }}
# Consumer: {{ (set.consumer ~ (" " ~ set.version if set.version else "")) | plain }}
{% for provider in set.providers %}
# Provider: {{ provider | plain }}
{% endfor %}
# Safety: {{ patch.applicability }}
# Reason: {{ patch.reason | plain }}
{% for symbol in patch.symbols %}
# Symbol: {{ symbol | plain }}
{% endfor %}
{% for signature in patch.old_signatures %}
# Old: {{ signature | plain }}
{% endfor %}
{% for signature in patch.new_signatures %}
# New: {{ signature | plain }}
{% endfor %}
{% for finding in patch.findings %}
# Finding: {{ finding | plain }}
{% endfor %}
{% for file in patch.files %}
# File: {{ file.path | plain }}
# Expects: sha256:{{ file.before }}
# Gives: sha256:{{ file.after }}
{% endfor %}
{% for proof in patch.proofs %}
# Proof: {{ (proof.name ~ ": " ~ proof.detail) | plain }}
{% endfor %}
"""
_OURS = re.compile(r"\d{3,}-[A-Za-z0-9._-]+\.patch")


def render(patch: Patch, patch_set: PatchSet) -> bytes:
    """The content of one patch file."""
    for file in patch.files:
        if plain(file.path) != file.path or (not file.path.isascii() and file.encoding not in ("utf-8", "ascii")):
            raise PatchError("Its path cannot stand in a patch file", where=file.path)
    environment = jinja2.Environment(  # noqa: S701 - plain text; `plain` is its escaping
        undefined=jinja2.StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    environment.filters["plain"] = plain
    header = environment.from_string(_TEMPLATE).render(patch=patch, set=patch_set)
    content = header.encode() + hunks.joined(patch.files)
    return f"{FORMAT}\n# Content: sha256:{hashlib.sha256(content).hexdigest()}\n".encode() + content


def write_set(patch_dir: Path, name: str, patch_set: PatchSet) -> Path:
    """Write the set as folder `name` under `patch_dir`, in place of an earlier one; other files there stay."""
    folder = patch_dir / name
    contents = {patch.name: render(patch, patch_set) for patch in patch_set.patches}
    if len(contents) != len(patch_set.patches) or not all(_OURS.fullmatch(file) for file in contents):
        raise PatchError("Patch files must have different names of the form `010-rule.patch`", where=str(folder))
    series = "".join(f"{patch.name}\n" for patch in patch_set.patches).encode()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, content in contents.items():
            _write(folder / file, content)
        _write(folder / "series", series)
        for stale in folder.iterdir():
            if _OURS.fullmatch(stale.name) and stale.name not in contents:
                stale.unlink()
    except OSError as error:
        raise PatchError(f"The patches cannot be written: {error.strerror}", where=str(folder)) from error
    return folder


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)  # noqa: PTH105 - one call to watch in tests
    finally:
        temporary.unlink(missing_ok=True)
