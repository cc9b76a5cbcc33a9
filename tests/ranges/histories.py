"""Lays out the releases of a small provider, audits a consumer against all of them, and runs it in each for real."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.options import Options
from auditor.patches.series import patched
from auditor.ranges import scan_releases


@dataclass(frozen=True)
class Outcome:
    """What the tool says."""

    fitting: tuple[str, ...]
    """The releases that the consumer fits as it is."""
    proven: tuple[str, ...]
    """Those that the patched one fits."""
    patched: str
    patches: tuple[str, ...]
    unfixed: tuple[str, ...]


def scan_history(app: str, releases: Mapping[str, str], folder: Path, style=None) -> Outcome:
    """Audit `app`, which was written for the first release, against all of them.

    A release is the source of the provider's package; after a line `# ---- inner.py` that of a module in it.
    """
    for version, source in releases.items():
        package = folder / version / "lib"
        package.mkdir(parents=True, exist_ok=True)
        main, *inner = re.split(r"^# ---- (\w+\.py)\n", source, flags=re.MULTILINE)
        (package / "__init__.py").write_text(f'{main}\n__version__ = "{version}"\n', encoding="utf-8")
        for name, text in zip(inner[::2], inner[1::2], strict=True):
            (package / name).write_text(text, encoding="utf-8")
        info = folder / version / f"lib-{version}.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: lib\nVersion: {version}\n", encoding="utf-8")
    consumer = folder / "consumer"
    consumer.mkdir(exist_ok=True)
    (consumer / "app.py").write_text(app, encoding="utf-8")
    specs = [f"lib @ {folder / version}" for version in releases]
    options = Options(
        consumers=(str(consumer),),
        against=(),
        from_=(specs[0],),
        cache_dir=folder / "cache",
        patch_dir=folder / "patches",
        offline=True,
    )
    report = scan_releases(options, specs, "lib", style)
    whole = report.providers[0].range
    assert whole is not None
    names = list(releases)
    assert len(whole.releases) == len(names)
    broken = {f.id: f for f in report.findings if f.severity != "info"}
    fitting = [
        name
        for number, name in enumerate(names)
        if not any(_state(f, number, whole.releases) in ("broken", "altered", "elsewhere") for f in broken.values())
    ]
    told = dict(zip(whole.releases, names, strict=True))
    after = patched(report.patches, {"app.py": app.encode()})["app.py"].decode()
    return Outcome(
        tuple(fitting),
        tuple(told[label] for label in whole.proven),
        after,
        tuple(p.name for p in report.patches),
        tuple(f.unfixed for f in report.findings if f.unfixed),
    )


def _state(finding, number, labels):
    for part in finding.intervals:
        first = labels.index(part.first)
        last = labels.index(part.last) if part.last is not None else len(labels) - 1
        if first <= number <= last:
            return part.state
    return "fine"


def really_fits(app: str, folder: Path, version: str) -> bool:
    """Whether the consumer's `main()` runs with a release."""
    code = f"import sys; sys.path.insert(0, {str(folder / version)!r})\nsource = sys.stdin.read()\n"
    code += "names = {'__name__': 'app'}\nexec(compile(source, 'app.py', 'exec'), names)\nnames['main']()\n"
    done = subprocess.run([sys.executable, "-c", code], input=app, capture_output=True, text=True, check=False)
    raised = done.stderr.strip().rpartition("\n")[2].partition(":")[0]
    assert done.returncode == 0 or raised in ("TypeError", "AttributeError", "ImportError", "NameError"), done.stderr
    return done.returncode == 0
