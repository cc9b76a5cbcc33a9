"""`api-audit cache`: where read releases are kept, how much that is, and how to be rid of it."""

from __future__ import annotations

from pathlib import Path

import click

from auditor.cli.options import FOLDER, Named
from auditor.cli.terminal import deliver

_ACTIONS = ("clean", "dir", "size")


@click.command(epilog="Example: api-audit cache size", short_help="Where read releases are kept: dir, size, clean.")
@click.argument("action", type=Named(lambda: _ACTIONS))
@click.option("--cache-dir", type=FOLDER, metavar="DIR", help="The cache folder. [default: the user's cache]")
def command(action: str, cache_dir: Path | None) -> None:
    """Show the cache folder (dir), its size (size), or empty it (clean)."""
    from auditor.packages.store import Store, default_folder

    folder = cache_dir or default_folder()
    if action == "dir":
        deliver(f"{folder}\n", None)
        return
    with Store.open(folder) as store:
        if action == "size":
            deliver(f"{store.size() / 1e6:.1f} MB\n", None)
        else:
            deliver(f"{store.clean() / 1e6:.1f} MB removed from {folder}\n", None)
