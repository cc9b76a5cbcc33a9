"""Guards that a range no longer needs: which go, what becomes of the code around them, and what stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from packages.making import publish

from auditor.__main__ import main
from auditor.options import Options
from auditor.prune import prune

RELEASES = {
    version: {
        "acme/__init__.py": f'__version__ = "{version}"\nfrom acme.core import Engine\n'
        + ("def fast(): ...\n" if new else "")
        + "def slow():\n    from acme.fastpath import go\n",
        "acme/core.py": f"class Engine:\n    def __init__(self, model{', seed=0' if new else ''}): ...\n"
        "    def run(self, prompt): ...\n",
        ("acme/sampling.py" if new else "acme/params.py"): "class Params: ...\n",
    }
    for version, new in {"1.0": False, "1.4.2": False, "2.0": True, "2.1": True, "2.10.1": True}.items()
}
NEW = ">=2.0,<3"


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("index")
    for version, files in RELEASES.items():
        publish(folder, "acme", version, files)
    return str(folder)


@pytest.fixture
def app(tmp_path: Path, index: str):
    """Makes a consumer of some files; gives the call that prunes it, and reads it back with its patches applied."""

    def make(files: dict[str, str], range_: str = NEW, *, requires: str | None = "acme", unsafe: bool = False) -> dict:
        root = tmp_path / "app"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        if requires:
            project = f'[project]\nname = "app"\nversion = "1"\ndependencies = ["{requires}{range_}"]\n'
            (root / "pyproject.toml").write_text(project, encoding="utf-8")
        options = Options(
            consumers=(str(root),),
            against=(f"acme{range_}",),
            index_url=index,
            cache_dir=tmp_path / "cache",
            patch_dir=tmp_path / "patches",
        )
        report = prune(options)
        folders = list((tmp_path / "patches").glob("*"))
        if folders:
            more = ["--unsafe-fixes"] if unsafe else []
            assert main(["apply", str(folders[0]), "--to", str(root), "--allow-no-vcs", "-q", *more]) == 0
        again = prune(options)
        assert [f for f in again.findings if f.fix and (unsafe or f.fix.applicability == "safe")] == []
        return {path: (root / path).read_text(encoding="utf-8") for path in files} | {"": report}

    return make


CASES = Path(__file__).parent / "prune"


@pytest.mark.parametrize("case", sorted(CASES.glob("*.py")), ids=lambda case: case.stem)
def test_each_case_becomes_what_a_reviewer_would_write(case, app):
    """A case is a file: the code before, a line `# --- becomes`, and the code after (if it changes)."""
    before, _, after = case.read_text(encoding="utf-8").partition("# --- becomes\n")
    assert app({"main.py": before}, unsafe=case.stem.endswith("_unsafe"))["main.py"] == (after or before)


def test_flags_and_helpers_of_other_files_are_followed_and_go_when_nobody_reads_them(app):
    compat = (
        "import acme\nfrom packaging.version import Version\n\nNEW = Version(acme.__version__) >= Version('2.0')\n"
        "OTHER = 1\n\n\ndef newer_than(wanted):\n    return Version(acme.__version__) > Version(wanted)\n"
    )
    main_file = (
        "from app.compat import NEW, OTHER, newer_than\nfrom app import compat\n\nprint(OTHER)\n"
        "if NEW and newer_than('1.9'):\n    print('new')\nif not compat.NEW:\n    print('old')\n"
    )
    after = app({"app/__init__.py": "", "app/compat.py": compat, "app/main.py": main_file})
    assert after["app/main.py"] == "from app.compat import OTHER\n\nprint(OTHER)\nprint('new')\n"
    assert "NEW" in after["app/compat.py"], "in a first file what a later one still imports stays"


def test_a_flag_that_is_set_from_outside_is_not_trusted(app):
    compat = "import acme\n\nNEW = hasattr(acme, 'fast')\n"
    main_file = "from app import compat\n\nif compat.NEW:\n    print('new')\n"
    setting = "from app import compat\n\ncompat.NEW = False\n"
    files = {"app/__init__.py": "", "app/compat.py": compat, "app/main.py": main_file, "app/set.py": setting}
    assert {p: t for p, t in app(files).items() if p} == files


def test_a_fallback_for_when_the_provider_is_not_installed_stays_unless_it_is_required(app):
    source = "try:\n    from acme.sampling import Params\nexcept ImportError:\n    Params = None\n"
    assert app({"main.py": source}, requires=None, unsafe=True)["main.py"] == source
    after = app({"main.py": source}, unsafe=True)
    assert after["main.py"] == "from acme.sampling import Params\n"
    (found,) = after[""].findings
    assert found.fix.applicability == "unsafe"
    assert "can fail for another reason" in found.fix.reason


def test_what_is_compiled_is_not_taken_for_missing(app):
    source = "try:\n    from acme.fastpath import go\nexcept ImportError:\n    from acme.core import Engine as go\n"
    assert app({"main.py": source})["main.py"] == source


def test_line_ends_tabs_and_encodings_stay(app, tmp_path):
    source = (
        "# -*- coding: latin-1 -*-\r\nimport acme\r\n\r\ndef f():\r\n\tname = 'é'; x = 1\r\n"
        "\tif 'é' in name and hasattr(acme, 'fast'):\r\n\t\treturn name\r\n\tif not hasattr(acme, 'fast'):\r\n"
        "\t\treturn None\r\n"
    )
    file = tmp_path / "app" / "main.py"
    file.parent.mkdir()
    file.write_bytes(source.encode("latin-1"))
    app({})
    after = file.read_bytes().decode("latin-1")
    head, body = "# -*- coding: latin-1 -*-\r\n\r\n", "def f():\r\n\tname = 'é'; x = 1\r\n\tif 'é' in name:\r\n"
    assert after == f"{head}{body}\t\treturn name\r\n"


def test_an_open_range_keeps_what_a_later_release_may_need(app):
    source = (
        "import acme\nfrom packaging.version import Version\n\n"
        "if Version(acme.__version__) < Version('4'):\n    print('so far')\n"
        "if Version(acme.__version__) >= Version('2'):\n    print('new')\n"
    )
    after = app({"main.py": source}, ">=2.0")["main.py"]
    assert "so far" in after
    assert "Version('2')" not in after


GUARDED = "import acme\n\nif hasattr(acme, 'fast'):\n    acme.fast()\nelse:\n    print('slow')\n"


@pytest.fixture
def project(tmp_path: Path, index: str):
    """A project that declares its range, and the call of the program for it."""
    root = tmp_path / "mine"
    root.mkdir()
    (root / "main.py").write_text(GUARDED, encoding="utf-8")
    (root / "pyproject.toml").write_text(
        '[project]\nname = "mine"\nversion = "1.0"\ndependencies = ["acme>=2.0"]\n', encoding="utf-8"
    )

    def call(*arguments: str) -> int:
        common = [
            "--index-url",
            index,
            "--cache-dir",
            str(tmp_path / "cache"),
            "--patch-dir",
            str(tmp_path / "patches"),
        ]
        return main(["prune", str(root), *common, *arguments])

    call.root, call.patches = root, tmp_path / "patches" / "mine-1.0--acme-2.10.1--prune"
    return call


def test_the_declared_range_is_pruned_to(project, capsys):
    assert project() == 1
    out, err = capsys.readouterr()
    assert "warning[unneeded-guard]: `hasattr(acme, 'fast')` is always true with `acme>=2.0`" in out
    assert "acme>=2.0: 3 releases, 2.0 to 2.10.1" in err
    assert f"Apply them: api-audit apply {project.patches} --to PATH" in err
    header = (project.patches / "010-unneeded-guard.patch").read_text(encoding="utf-8")
    assert "# Provider: acme>=2.0: 3 releases, 2.0 to 2.10.1" in header
    assert "in each of: acme 2.0, 2.1, 2.10.1" in header
    assert main(["apply", str(project.patches), "--to", str(project.root), "--allow-no-vcs"]) == 0
    assert (project.root / "main.py").read_text(encoding="utf-8") == "import acme\n\nacme.fast()\n"
    assert project() == 0
    assert main(["apply", str(project.patches), "--to", str(project.root), "--allow-no-vcs", "--revert"]) in (0, 2)


def test_git_takes_the_patches_forwards_and_backwards(project):
    assert project("-q") == 1
    for options in (["--check"], [], ["-R", "--check"], ["-R"]):
        subprocess.run(
            ["git", "apply", *options, str(project.patches / "010-unneeded-guard.patch")], cwd=project.root, check=True
        )
    assert (project.root / "main.py").read_text(encoding="utf-8") == GUARDED


@pytest.mark.parametrize("format_", ["concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html"])
def test_every_format_tells_of_guards(project, capsys, format_):
    assert project("--output-format", format_, "--exit-zero") == 0
    assert "unneeded-guard" in capsys.readouterr().out


def test_a_guard_that_is_accepted_with_a_reason_stays(project, capsys):
    source = GUARDED.replace(":\n    acme", ":  # api-audit: ignore[unneeded-guard] a fork lacks it\n    acme")
    (project.root / "main.py").write_text(source, encoding="utf-8")
    assert project() == 0
    assert not project.patches.exists()
    assert main(["scan", str(project.root), "--against", "acme==2.1", "--no-patches", "--strict"]) in (0, 2)
    assert "accepts nothing" not in capsys.readouterr().err


def test_diff_writes_nothing(project, capsysbinary):
    assert project("--diff") == 1
    assert b"-if hasattr(acme, 'fast'):\n-    acme.fast()" in capsysbinary.readouterr().out
    assert not project.patches.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--against", "acme"], "no range is named"),
        (["--against", "acme>=9"], "acme has no release >=9"),
        (["--provider", "other"], "mine states no dependency on other"),
        (["--against", "acme>=2", "--provider", "acme"], "leave out --against"),
    ],
)
def test_what_cannot_be_done_says_why(project, capsys, arguments, said):
    assert project(*arguments) == 2
    assert said in capsys.readouterr().err


# --- random programs --------------------------------------------------------------------------------------------------

TESTS = (
    "Version(acme.__version__) >= Version('2.0')",
    "Version(acme.__version__) < Version('2.0')",
    "Version(acme.__version__) >= Version('2.1')",
    "acme.__version__.startswith('1.')",
    "NEW",
    "not NEW",
    "hasattr(acme, 'fast')",
    "'seed' in inspect.signature(acme.Engine).parameters",
    "'other' in inspect.signature(acme.Engine).parameters",
    "said()",
)
HEAD = """import inspect

import acme
from packaging.version import Version

NEW = Version(acme.__version__) >= Version("2.0")


def said():
    trace("asked")
    return len(TRACE) % 2 == 0


"""


def program(random: Random) -> str:
    """A program that leaves a trace of what it does."""
    lines: list[str] = []
    for number in range(random.randint(1, 3)):
        lines += [f"def f{number}(x):", *block(random, 1, inside=True), ""]
    lines += [line[4:] for line in block(random, 1)]
    lines += [f"trace(f{number}(1))" for number in range(3) if f"def f{number}(x):" in lines]
    return HEAD + "\n".join(lines) + "\n"


def condition(random: Random, depth: int = 0) -> str:
    choice = random.random()
    if depth < 2 and choice < 0.35:
        operator = random.choice([" and ", " or "])
        parts = [condition(random, depth + 1) for _ in range(random.randint(2, 3))]
        return f"({operator.join(parts)})"
    if depth < 2 and choice < 0.45:
        return f"not {condition(random, depth + 1)}"
    return random.choice(TESTS)


def block(random: Random, depth: int, *, inside: bool = False) -> list[str]:
    pad = "    " * depth
    lines: list[str] = []
    for _ in range(random.randint(1, 3)):
        value = random.randint(0, 99)
        kind = random.choice(["trace", "if", "if", "elif", "choice", "try", "call", "return", "while"])
        if kind in ("if", "elif") and depth < 4:
            lines += [f"{pad}# about {value}", f"{pad}if {condition(random)}:"]
            lines += block(random, depth + 1, inside=inside)
            if kind == "elif":
                lines += [f"{pad}elif {condition(random)}:", *block(random, depth + 1, inside=inside)]
            if random.random() < 0.6:
                lines += [f"{pad}else:", *block(random, depth + 1, inside=inside)]
        elif kind == "choice":
            lines.append(f"{pad}trace({value} * ({value} + 1 if {condition(random)} else 2), {value})")
        elif kind == "try":
            new, old = random.sample(["acme.sampling", "acme.params", "acme.gone"], 2)
            lines += [f"{pad}try:", f"{pad}    from {new} import Params", f"{pad}except ImportError:"]
            lines += [f"{pad}    from {old} import Params" if old != "acme.gone" else f"{pad}    Params = None"]
            lines.append(f"{pad}trace(Params)")
        elif kind == "call":
            lines.append(f"{pad}trace(**({{'a': {value}}} if {condition(random)} else {{}}), b=1)")
        elif kind == "return" and inside and random.random() < 0.3:
            lines.append(f"{pad}return {value}")
        elif kind == "while" and depth < 3:
            lines += [f"{pad}for i in range(2):", *block(random, depth + 1, inside=inside)]
        else:
            lines.append(f"{pad}trace({value})  # {value}")
    return lines


def run(source: str, release: dict[str, str]) -> list[object]:
    """What a program does on a release: its trace, and the exception that ended it."""
    names = {
        path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): text for path, text in release.items()
    }
    held: list[object] = []
    before = dict(sys.modules)

    def trace(*given: object, **named: object) -> None:
        held.append((tuple(map(str, given)), tuple(sorted(named.items()))))

    try:
        for name in sorted(names, key=len, reverse=True):
            sys.modules[name] = ModuleType(name)
        sys.modules["acme"].__path__ = []
        for name in sorted(names, key=lambda each: (each == "acme", each)):
            exec(names[name], sys.modules[name].__dict__)
        exec(compile(source, "program", "exec"), {"trace": trace, "TRACE": held})
    except Exception as error:  # noqa: BLE001 - it is compared
        held.append(repr(error))
    finally:
        for name in set(sys.modules) - set(before):
            del sys.modules[name]
    return held


def test_pruned_programs_do_what_they_did_on_every_release_of_the_range(app):
    random = Random(7)
    files = {f"p{number}.py": program(random) for number in range(24)}
    after = app(files, unsafe=True)
    assert sum(after[path] != text for path, text in files.items()) > 15
    for path, text in files.items():
        for version in ("2.0", "2.1", "2.10.1"):
            assert run(after[path], RELEASES[version]) == run(text, RELEASES[version]), (path, version)
