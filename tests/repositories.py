"""Git repositories for tests, whatever the settings of whoever runs them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_SETTINGS = (
    "user.name=t",
    "user.email=t@example.org",
    "commit.gpgsign=false",
    "protocol.file.allow=always",
)


def git(folder: Path, *words: str, **variables: str) -> str:
    """What git says in a folder; `variables` are added to its environment."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **variables}
    command = ["git", "-C", str(folder), *settings, *words]
    return subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout.strip()
