"""Asks git about a repository of a stranger: nothing that the repository configures is run, and no network is used."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from auditor.errors import AuditError

SECONDS = 120
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.sshCommand": "false",
    "log.showSignature": "false",
    "protocol.allow": "never",
}
_QUIET = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
"""Objects that a partial clone lacks are not fetched, nobody is asked for a password, the repository is not touched."""


class GitMissingError(AuditError):
    """There is no git here."""


def ask(folder: Path, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run a git command that only reads; whether it failed is for the caller to see.

    Raises:
        GitMissingError: git is not installed.
        AuditError: It does not answer.
    """
    return _run(folder, arguments, given, _SETTINGS)


def status(folder: Path) -> subprocess.CompletedProcess[bytes]:
    """What of a folder's tracked files differs from the last commit; without filters, which the repository chooses."""
    named = _run(folder, ("config", "--includes", "--list", "--name-only", "-z"), b"", _SETTINGS)
    settings = {**_SETTINGS, **dict.fromkeys(_filters(named.stdout.decode("utf-8", "surrogateescape")), "")}
    words = ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--ignore-submodules=all", "--", ".")
    return _run(folder, words, b"", settings)


def _filters(names: str) -> Iterator[str]:
    """The settings that would have git run a program over the files that it compares."""
    for name in names.split("\0"):
        if name.startswith("filter."):
            driver = name.rpartition(".")[0]
            yield from (f"{driver}.{kind}" for kind in ("clean", "smudge", "process", "required"))


def _run(
    folder: Path, arguments: tuple[str, ...], given: bytes, settings: Mapping[str, str]
) -> subprocess.CompletedProcess[bytes]:
    ours = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or "CONFIG" in key}
    # a key with `=` in it can only be given through the environment, which git knows since 2.31
    spelled = {key: value for key, value in settings.items() if "=" in key}
    told = ours.get("GIT_CONFIG_COUNT", "")
    count = int(told) if told.isdecimal() else 0
    for number, (key, value) in enumerate(spelled.items(), count):
        ours[f"GIT_CONFIG_KEY_{number}"], ours[f"GIT_CONFIG_VALUE_{number}"] = key, value
    ours["GIT_CONFIG_COUNT"] = str(count + len(spelled))
    ours.pop("GIT_CONFIG_PARAMETERS", None)  # what the caller gave as `-c` would come after ours
    given_to_git = [word for key, value in settings.items() if "=" not in key for word in ("-c", f"{key}={value}")]
    try:
        return subprocess.run(  # noqa: S603 - fixed commands; what users give is behind --end-of-options or a path
            ["git", *given_to_git, "-C", str(folder), *arguments],  # noqa: S607 - whichever git the user has
            input=given,
            capture_output=True,
            check=False,
            timeout=SECONDS,
            env={**ours, **_QUIET},
        )
    except FileNotFoundError:
        raise GitMissingError("git is not installed", where=str(folder)) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AuditError(f"git does not answer: {error}", where=str(folder)) from None
