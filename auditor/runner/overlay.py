"""Builds the overlay: the consumer's package copied out of its environment, patched there, and first on the path."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from auditor.errors import PatchError
from auditor.patches.apply import Outcome, apply
from auditor.patches.series import PatchSet
from auditor.runner.target import Target

_INSIDE = Path(__file__).parent / "inside"
_EMPTY = '"""A shell around `auditor.runner.inside`, for the target environment."""\n'


@dataclass(frozen=True)
class Overlay:
    """A folder with the patched package, and one with the runner's own code for the target environment."""

    root: Path
    target: Target
    outcome: Outcome

    @property
    def packages(self) -> Path:
        """What comes first on the path."""
        return self.root / "overlay"

    @property
    def lib(self) -> Path:
        """Where `auditor.runner.inside` lies for the target."""
        return self.root / "lib"

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """The environment variables of every process that is to see the patched package."""
        variables = {**os.environ, **(extra or {})}
        earlier = variables.get("PYTHONPATH")
        path = [str(self.packages), str(self.lib), *([earlier] if earlier else [])]
        variables["PYTHONPATH"] = os.pathsep.join(path)
        variables["API_AUDIT_OVERLAY"] = str(self.packages)
        unwritten = variables.pop("PYTHONDONTWRITEBYTECODE", "") or not all(
            os.access(place.parent, os.W_OK) for place in self.target.packages.values()
        )
        if unwritten and "PYTHONPYCACHEPREFIX" not in variables:
            # Compiling vLLM, torch and transformers anew costs 15 seconds at every start: keep the result, elsewhere.
            variables["PYTHONPYCACHEPREFIX"] = str(_cache() / "bytecode")
        return variables

    def run(
        self,
        command: Sequence[str],
        log: Path,
        *,
        extra: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> int:
        """Run something that sees the patched package, and return its exit code; what it prints goes into `log`.

        Raises:
            OSError: It cannot be started, or `log` cannot be written.
            TimeoutExpired: It took longer than `timeout` seconds, and was killed.
        """
        with log.open("wb") as output:
            done = subprocess.run(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=timeout,
                check=False,
                env=self.environment(extra),
                cwd=self.root,
            )
        return done.returncode


@contextmanager
def overlaid(patch_set: PatchSet, target: Target, *, unsafe: bool, run_dir: Path | None = None) -> Iterator[Overlay]:
    """An overlay for as long as the block runs; in `run_dir` it stays afterwards."""
    if run_dir is None:
        folder = tempfile.mkdtemp(prefix="api-audit-run-")
        try:
            yield build(patch_set, target, Path(folder), unsafe=unsafe)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    else:
        yield build(patch_set, target, run_dir.absolute(), unsafe=unsafe)


def build(patch_set: PatchSet, target: Target, root: Path, *, unsafe: bool) -> Overlay:
    """Copy and patch; every refusal names the file in the environment, which is only ever read."""
    packages = root / "overlay"
    try:
        for old in (packages, root / "lib"):
            shutil.rmtree(old, ignore_errors=True)
        packages.mkdir(parents=True)
        for name, place in target.packages.items():
            _copy(place, packages / (name if place.is_dir() else place.name))
        _lay_inside(root / "lib")
    except (OSError, shutil.Error) as error:
        what = getattr(error, "strerror", None) or "some files could not be read or written"
        raise PatchError(f"The overlay cannot be made: {what}", where=str(root)) from error
    try:
        outcome = apply(patch_set, packages, unsafe=unsafe)
    except PatchError as error:
        raise PatchError(error.what, where=_origin(error.where, packages, target), hint=_advice(error)) from error
    return Overlay(root, target, outcome)


def _copy(place: Path, to: Path) -> None:
    if place.is_dir():
        shutil.copytree(place, to, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(place, to)


def _lay_inside(lib: Path) -> None:
    for package in (lib / "auditor", lib / "auditor" / "runner"):
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(_EMPTY, encoding="utf-8")
    shutil.copytree(_INSIDE, lib / "auditor" / "runner" / "inside", ignore=shutil.ignore_patterns("__pycache__"))


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "api-audit-run"


def _origin(where: str | None, packages: Path, target: Target) -> str | None:
    """The file in the environment that a file of the overlay was copied from."""
    for root in (packages, packages.resolve()):
        if where and where.startswith(f"{root}{os.sep}"):
            parts = Path(where).relative_to(root).parts
            place = target.packages.get(parts[0]) or target.packages.get(parts[0].removesuffix(".py"))
            if place is not None:
                return str(place.joinpath(*parts[1:]))
    return str(target.python) if where and where.startswith(str(packages)) else where


def _advice(error: PatchError) -> str | None:
    hint = error.hint or ""
    return hint if hint and "Give the folder" not in hint else "Nothing was started"
