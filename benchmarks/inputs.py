"""The inputs that all tools get alike: both releases and the consumer as folders, written out of our own store."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parent.parent
TOOLS = ("ty", "pyrefly", "pyright", "griffe", "willitbreak", "upgrade-impact", "py-spy")
G, W = "vllm_hidden_states_generator.py", "custom_worker.py"
BIG = ("vllm-ascend==0.23.0.post1", "vllm==0.23.0", "vllm==0.24.0")
"""A consumer of a thousand files, the release it was written for, and the next one."""
ROWS = {
    1: (G, 194, "`SchedulerConfig` requires `is_encoder_decoder`"),
    2: (G, 139, "`kv_cache_specs` removed"),
    3: (G, 148, "`Scheduler` requires `block_size`"),
    4: (W, 30, "`get_input_embeddings` renamed on every model"),
    5: (G, 234, "`Request` needs a `block_hasher`"),
    6: (G, 271, "the single reply comes bare"),
    7: (G, 261, "`sample_tokens` must follow `execute_model`"),
    8: (G, 166, "prefix caching on by default, silently"),
    9: (W, 102, "wrappers keep their layers elsewhere"),
    10: (G, 84, "`trust_remote_code` passed once of twice"),
}
"""The rows of the cascade that happened for real on vLLM 0.16.0 (row 11 concerns 0.17.0 and later)."""


@dataclass(frozen=True)
class Inputs:
    """Where everything lies."""

    work: Path
    consumer: Path
    old: Path
    new: Path
    tools: Path
    empty: Path
    wheel_bytes: int
    source_bytes: int
    packed_bytes: int

    def tool(self, name: str) -> Path:
        return self.tools / "bin" / name


def install(work: Path, names: Sequence[str] = TOOLS) -> Path:
    """The tools in an environment of their own, and beside it an empty one for type checkers to look into."""
    for folder, packages in ((work / "tools", names), (work / "empty", ())):
        if not (folder / "bin" / "python").exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        if missing := set(packages) - versions(folder).keys():
            pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", *sorted(missing)]
            subprocess.run([*pip, "--disable-pip-version-check"], check=True)
    return work / "tools"


def versions(environment: Path) -> dict[str, str]:
    """Which release of each of the tools is in an environment."""
    sites = map(str, environment.glob("lib/python*/site-packages"))
    known = {one.name: one.version for one in distributions(path=list(sites))}
    return {name: known[name] for name in TOOLS if name in known}


def prepare(work: Path, cache: Path, consumer: str, old: str, new: str, *, whole: bool = False) -> Inputs:
    """Write the trees, and fill the store.

    Args:
        work: Where trees and tools lie.
        cache: Our store's folder.
        consumer: What is audited.
        old: The release it was written for.
        new: The one it must run on.
        whole: Whether all of an sdist is audited, its tests and tools too.
    """
    from auditor.packages.files import best_file
    from auditor.packages.index import PackageIndex
    from auditor.packages.release import open_release
    from auditor.packages.spec import IndexSpec, parse_spec
    from auditor.packages.store import Store
    from auditor.packages.versions import choose

    tools = install(work)
    folders = {}
    with Store.open(cache) as store:
        index = PackageIndex(store)
        for role, spec in (("consumer", consumer), ("old", old), ("new", new)):
            release = open_release(spec, store=store, index=index, whole=whole and role == "consumer")
            folder = folders[role] = work / "trees" / spec.replace("==", "-")
            if not folder.exists():
                for path, data in release.read(release.files).items():
                    (folder / path).parent.mkdir(parents=True, exist_ok=True)
                    (folder / path).write_bytes(data)
        parsed = parse_spec(new)
        assert isinstance(parsed, IndexSpec)
        wheel = best_file(choose(parsed, index.files(parsed.name))[1])
        files = list(release.files.values())
    return Inputs(
        work,
        folders["consumer"],
        folders["old"],
        folders["new"],
        tools,
        work / "empty",
        wheel.size or 0,
        sum(file.size for file in files),
        sum(file.packed for file in files),
    )


def extents(consumer: Path) -> dict[int, tuple[str, int, int]]:
    """For each row its file and the lines of the simple statement that it stands in."""
    found = {}
    for number, (name, line, _) in ROWS.items():
        tree = ast.parse(next(consumer.rglob(name)).read_bytes())
        around = [
            (node.lineno, node.end_lineno or line)
            for node in ast.walk(tree)
            if isinstance(node, ast.stmt)
            and not hasattr(node, "body")
            and node.lineno <= line <= (node.end_lineno or 0)
        ]
        found[number] = (name, *min(around, default=(line, line), key=lambda lines: lines[1] - lines[0]))
    return found
