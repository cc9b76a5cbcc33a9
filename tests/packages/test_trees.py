"""Folders, git references and environments, and what counts as a project's import packages."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from packages.making import metadata, sdist_bytes, wheel_bytes
from repositories import git

from auditor.errors import ArchiveError, AuditError, SpecError
from auditor.packages.environment import find_installed, site_folders
from auditor.packages.index import PackageIndex
from auditor.packages.layout import dotted, import_packages
from auditor.packages.pipconf import PipConfig
from auditor.packages.project import read_project
from auditor.packages.release import Release, open_release
from auditor.packages.store import Store

PYPROJECT = '[project]\nname = "My.Pkg"\nversion = "1.2"\ndependencies = ["a>=1"]\n'


def grow(root: Path, **files: str) -> Path:
    return plant(root, files)


def plant(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def open_(spec: str | Path, store: Store, **options: object) -> Release:
    return open_release(str(spec), store=store, index=PackageIndex(store, config=PipConfig()), **options)  # type: ignore[arg-type]


def packages(files: dict[str, str], name: str | None = None) -> tuple[str, ...]:
    raw = {path: text.encode() for path, text in files.items()}
    return import_packages(read_project(raw.keys(), raw.get, name=name).files)


EMPTY = ""


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ("pkg/__init__.py pkg/sub/a.py setup.py tests/__init__.py tests/a.py docs/conf.py", "pkg"),
        ("src/pkg/__init__.py src/other/__init__.py setup.py noxfile.py", "other pkg"),
        ("pkg.py setup.py conftest.py", "pkg"),
        ("src/pkg.py setup.py", "pkg"),
        ("pkg/a.py pkg/sub/b.py", "pkg"),  # no __init__ anywhere
        ("ns/part/__init__.py", "ns.part"),
        ("google/cloud/storage/__init__.py google/cloud/storage/a.py setup.py", "google.cloud.storage"),
        ("tests/__init__.py tests/a.py", "tests"),  # the only thing there is
        ("src/gen.py pkg/__init__.py", "pkg"),  # src/ of another language
        ("lib/pkg/__init__.py setup.py", "pkg"),
        ("python/pkg/__init__.py rust/a.py", "pkg"),
        ("vllm/__init__.py benchmarks/__init__.py examples/a.py tools/__init__.py csrc/a.py", "vllm"),
        ("pkg/__init__.py extra.py", "pkg"),
        ("pkg-stubs/__init__.pyi", "pkg"),
        ("a.py b.py", "a b"),
        ("pkg-1.0.dist-info/METADATA pkg/__init__.py tests/__init__.py six.py", "pkg six tests"),
    ],
)
def test_layouts_without_configuration(files: str, expected: str) -> None:
    assert packages(dict.fromkeys(files.split(), EMPTY)) == tuple(expected.split())


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        ({"setup.py": "from setuptools import setup\nsetup(package_dir={'': 'code'})"}, "deep"),
        ({"setup.cfg": "[options]\npackage_dir =\n  = code\n"}, "deep"),
        ({"setup.cfg": "[options.packages.find]\nwhere = code\n"}, "deep"),
        ({"pyproject.toml": "[tool.setuptools.packages.find]\nwhere = ['code']"}, "deep"),
        ({"pyproject.toml": "[tool.setuptools.package-dir]\n'' = 'code'"}, "deep"),
        ({"pyproject.toml": "[tool.poetry]\npackages = [{include = 'deep', from = 'code'}]"}, "deep"),
        ({"pyproject.toml": "[tool.hatch.build.targets.wheel]\npackages = ['code/deep']"}, "deep"),
        ({"pyproject.toml": "[tool.maturin]\npython-source = 'code'"}, "deep"),
        ({"pyproject.toml": "[tool.setuptools]\npy-modules = ['single']"}, "single"),
        ({"pyproject.toml": "broken = ["}, "flat"),
        ({"setup.py": "setup(name='single')", "setup.cfg": "broken"}, "flat single"),
        ({"code/x.egg-info/PKG-INFO": metadata("x", "1")}, "deep"),
        ({"x.egg-info/PKG-INFO": metadata("x", "1"), "x.egg-info/top_level.txt": "single\nflat\n"}, "flat"),
    ],
)
def test_layouts_with_configuration(configuration: dict[str, str], expected: str) -> None:
    tree = dict.fromkeys(["code/deep/__init__.py", "flat/__init__.py", "single.py", "setup.py"], EMPTY)
    assert packages({**tree, **configuration}) == tuple(expected.split())


def test_the_known_name_counts() -> None:
    files = dict.fromkeys(["tools/__init__.py", "pkg/__init__.py", "my_tool.py"], EMPTY)
    assert packages(files) == ("pkg",)
    assert packages(files, name="tools") == ("pkg", "tools")
    assert packages(files, name="my-tool") == ("my_tool", "pkg")


def test_metadata_from_configuration() -> None:
    files = {
        "pyproject.toml": PYPROJECT
        + "requires-python = '>=3.9'\n[project.optional-dependencies]\nx = ['b; os_name==\"nt\"']\n"
    }
    raw = {path: text.encode() for path, text in files.items()}
    found = read_project(raw.keys(), raw.get).metadata
    assert (found.name, found.version, found.requires_python) == ("My.Pkg", "1.2", ">=3.9")
    assert found.requires_dist == ("a>=1", 'b; (os_name=="nt") and extra == "x"')
    assert found.provides_extra == ("x",)
    setup = {"setup.py": b"import os; os.abort()\nsetup(name='old', version='3', install_requires=['c'], x=os.x)"}
    found = read_project(setup.keys(), setup.get).metadata
    assert (found.name, found.version, found.requires_dist) == ("old", "3", ("c",))
    dynamic = {"setup.py": b"", "pkg/__init__.py": b"__version__ = '0.9'\n"}
    assert read_project(dynamic.keys(), dynamic.get).metadata.version == "0.9"


def test_old_requirement_lists(tmp_path: Path, store: Store) -> None:
    (tmp_path / "a-1.0.tar.gz").write_bytes(
        sdist_bytes(
            "a",
            "1.0",
            {
                "a.py": "",
                "a.egg-info/PKG-INFO": metadata("a", "1.0"),
                "a.egg-info/requires.txt": "b\n\n[x]\nc>1\n\n[y:python_version<'3']\nd\n\n[:os_name=='nt']\ne\n",
            },
        )
    )
    release = open_(tmp_path / "a-1.0.tar.gz", store)
    assert release.metadata.requires_dist == (
        "b",
        'c>1; extra == "x"',
        "d; (python_version<'3') and extra == \"y\"",
        "e; (os_name=='nt')",
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.py", "a"),
        ("a/__init__.py", "a"),
        ("a/b.pyi", "a.b"),
        ("a-stubs/b.pyi", "a.b"),
        ("a/b-c.py", ""),
        ("a/1.py", ""),
        ("a/b.cpython-311.py", ""),
        ("__init__.py", "__init__"),
    ],
)
def test_dotted(path: str, name: str) -> None:
    assert dotted(path) == name


def test_a_project_folder(tmp_path: Path, store: Store) -> None:
    plant(
        tmp_path,
        {
            "pyproject.toml": PYPROJECT,
            "src/my_pkg/__init__.py": "a = 1\n",
            "src/my_pkg/b.py": "",
            "src/my_pkg/b.pyi": "",
            "tests/test_a.py": "",
            ".venv/lib/x.py": "",
            "env/pyvenv.cfg": "",
            "env/lib/y.py": "",
            "src/my_pkg/__pycache__/b.py": "",
        },
    )
    release = open_(tmp_path, store)
    assert (release.name, release.display_name, release.version) == ("my-pkg", "My.Pkg", "1.2")
    assert list(release.files) == ["my_pkg/__init__.py", "my_pkg/b.py", "my_pkg/b.pyi"]
    assert dict(release.modules()) == {"my_pkg": "my_pkg/__init__.py", "my_pkg.b": "my_pkg/b.py"}
    assert dict(release.stubs()) == {"my_pkg.b": "my_pkg/b.pyi"}
    assert release.locate("my_pkg/b.py") == tmp_path / "src/my_pkg/b.py"
    assert release.read_one("my_pkg/__init__.py") == b"a = 1\n"
    whole = open_(tmp_path, store, whole=True)
    assert set(whole.files) - set(release.files) == {"tests/test_a.py"}
    assert whole.files["my_pkg/b.py"].name == "src/my_pkg/b.py"


def test_a_folder_may_change(tmp_path: Path, store: Store) -> None:
    plant(tmp_path, {"a.py": "1"})
    first = open_(tmp_path, store)
    before = first.digest("a.py")
    assert first.read_one("a.py") == b"1"
    plant(tmp_path, {"a.py": "2"})
    again = open_(tmp_path, store)
    assert again.read_one("a.py") == b"2"
    assert again.digest("a.py") != before
    assert store.known_blobs([before]) == {}
    (tmp_path / "a.py").unlink()
    with pytest.raises(ArchiveError, match="gone"):
        again.read(["a.py"])


def test_a_package_folder_is_rooted_above(tmp_path: Path, store: Store) -> None:
    plant(tmp_path, {"top/__init__.py": "", "top/sub/__init__.py": "", "top/sub/a.py": "x", "top/other.py": ""})
    release = open_(tmp_path / "top" / "sub", store)
    assert release.packages == ("top.sub",)
    assert list(release.files) == ["top/sub/__init__.py", "top/sub/a.py"]
    assert release.read_one("top/sub/a.py") == b"x"


def test_a_package_folder_states_its_version(tmp_path: Path, store: Store) -> None:
    plant(tmp_path, {"top/__init__.py": '__version__ = "2.0"\n'})
    assert open_(tmp_path / "top", store).version == "2.0"


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path, store: Store) -> None:
    plant(tmp_path, {"tree/pkg/__init__.py": "", "tree/pkg/real.py": "r", "secret.py": "s", "out/x.py": ""})
    try:
        (tmp_path / "tree/pkg/inside.py").symlink_to("real.py")
        (tmp_path / "tree/pkg/outside.py").symlink_to(tmp_path / "secret.py")
        (tmp_path / "tree/pkg/folder").symlink_to(tmp_path / "out")
        (tmp_path / "tree/pkg/loop").symlink_to(tmp_path / "tree")
    except OSError:
        pytest.skip("no links here")
    assert set(open_(tmp_path / "tree", store).files) == {"pkg/__init__.py", "pkg/real.py", "pkg/inside.py"}


def test_special_files_are_not_opened(tmp_path: Path, store: Store) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    plant(tmp_path, {"pkg/__init__.py": "", "pkg/pipe.py": ""})
    release = open_(tmp_path, store)
    (tmp_path / "pkg/pipe.py").unlink()
    os.mkfifo(tmp_path / "pkg/pipe.py")
    with pytest.raises(ArchiveError, match="not a regular file"):
        release.read(["pkg/pipe.py"])
    assert "pkg/pipe.py" not in open_(tmp_path, store).files


def test_an_unpacked_wheel(tmp_path: Path, store: Store) -> None:
    plant(
        tmp_path, {"a_b-1.5.dist-info/METADATA": metadata("a.b", "1.5"), "ab/__init__.py": "", "tests/__init__.py": ""}
    )
    release = open_(tmp_path, store)
    assert (release.name, release.version, release.packages) == ("a-b", "1.5", ("ab", "tests"))


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    plant(folder, {"pyproject.toml": '[project]\nname = "p"\ndynamic = ["version"]\n', "p/__init__.py": "old = 1\n"})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    git(folder, "tag", "v1.0.3")
    plant(folder, {"p/__init__.py": "new = 1\n", "p/added.py": "", "tests/t.py": "", "p/café.py": "é"})
    if os.name == "posix":
        (folder / "p/link.py").symlink_to("/etc/passwd")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "two")
    plant(folder, {"p/__init__.py": "uncommitted\n"})
    return folder


def test_git_references(repository: Path, store: Store) -> None:
    old = open_(f"{repository}@v1.0.3", store)
    assert (old.name, old.version, list(old.files)) == ("p", "1.0.3", ["p/__init__.py"])
    assert old.read_one("p/__init__.py") == b"old = 1\n"
    new = open_(f"{repository}@HEAD", store)
    assert new.version is None
    assert set(new.files) == {"p/__init__.py", "p/added.py", "p/café.py"}
    assert new.read(new.files) == {"p/__init__.py": b"new = 1\n", "p/added.py": b"", "p/café.py": "é".encode()}
    again = open_(f"{repository}@HEAD~0", store)
    assert again.files["p/__init__.py"].digest == new.digest("p/__init__.py")
    assert set(open_(f"{repository}@HEAD", store, whole=True).files) - set(new.files) == {"tests/t.py"}
    assert list(open_(f"{repository}/p@v1.0.3", store).files) == ["__init__.py"]
    assert (repository / "p/__init__.py").read_text() == "uncommitted\n"


def test_git_says_what_it_does_not_know(repository: Path, tmp_path: Path, store: Store) -> None:
    with pytest.raises(SpecError, match="no commit, tag or branch 'v9'"):
        open_(f"{repository}@v9", store)
    (tmp_path / "plain").mkdir()
    with pytest.raises(AuditError, match="git"):
        open_(f"{tmp_path / 'plain'}@HEAD", store)


def test_git_runs_nothing_of_the_repository(repository: Path, tmp_path: Path, store: Store) -> None:
    witness = tmp_path / "witness"
    script = repository / ".git" / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {witness}\n")
    script.chmod(0o755)
    with (repository / ".git" / "config").open("a") as config:
        config.write(
            f'[core]\n\tfsmonitor = "{script}"\n\thooksPath = {script.parent}\n\tpager = "{script}"\n'
            f'\tsshCommand = "{script}"\n'
            f'[filter "x"]\n\tsmudge = "{script}"\n\tprocess = "{script}"\n[diff]\n\texternal = "{script}"\n'
        )
    (repository / ".git" / "info").mkdir(exist_ok=True)
    (repository / ".git" / "info" / "attributes").write_text("*.py filter=x diff=x\n")
    release = open_(f"{repository}@HEAD", store)
    release.read(release.files)
    assert not witness.exists()


def environment(root: Path, *, home: str | None = None, system: bool = False) -> Path:
    """A virtual environment as far as its files tell; its python is a file that must never be run."""
    site = root / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (root / "bin").mkdir()
    (root / "bin" / "python").write_text("#!/bin/sh\nexit 99\n")
    text = f"home = {home or '/nowhere/bin'}\ninclude-system-site-packages = {str(system).lower()}\nversion = 3.11.7\n"
    (root / "pyvenv.cfg").write_text(text)
    return site


def install(site: Path, name: str, version: str, files: dict[str, str], *extra: str, **infos: str) -> None:
    info = f"{name}-{version}.dist-info"
    plant(site, {**files, f"{info}/METADATA": metadata(name, version), **{f"{info}/{k}": v for k, v in infos.items()}})
    rows = [f"{path},," for path in (*files, f"{info}/METADATA", *extra)]
    plant(site, {f"{info}/RECORD": "\n".join(rows)})


def test_an_environment(tmp_path: Path, store: Store) -> None:
    site = environment(tmp_path / "venv")
    install(site, "my_pkg", "1.0", {"pkg/__init__.py": "x = 1\n", "pkg/gone.py": ""}, "../../../bin/tool.py", "/abs.py")
    install(site, "other", "2.0", {"pkg/plugin.py": "", "other.py": ""})
    (site / "pkg/gone.py").unlink()
    plant(site, {"pkg/__init__.py": "patched = 1\n"})
    release = open_(f"env:{tmp_path}/venv/bin/python", store, name="My-Pkg")
    assert (release.name, release.version, release.packages) == ("my-pkg", "1.0", ("pkg",))
    assert release.read(release.files) == {"pkg/__init__.py": b"patched = 1\n"}
    assert release.locate("pkg/__init__.py") == site / "pkg/__init__.py"
    assert set(open_(f"other @ env:{tmp_path}/venv", store).files) == {"pkg/plugin.py", "other.py"}
    with pytest.raises(SpecError, match="Did you mean `other`"):
        open_(f"env:{tmp_path}/venv", store, name="othr")
    with pytest.raises(SpecError, match="which package of the environment is meant"):
        open_(f"env:{tmp_path}/venv", store)
    with pytest.raises(SpecError, match="no such interpreter"):
        open_(f"env:{tmp_path}/nowhere/bin/python", store, name="a")
    assert set(open_(f"other @ {site}", store).files) == {"pkg/plugin.py", "other.py"}
    with pytest.raises(SpecError, match="several installed packages"):
        open_(site, store)


def test_system_packages_of_a_virtual_environment(tmp_path: Path, store: Store) -> None:
    base = tmp_path / "base" / "lib" / "python3.11" / "site-packages"
    install(base, "low", "1.0", {"low.py": "base\n"})
    environment(tmp_path / "open", home=str(tmp_path / "base" / "bin"), system=True)
    environment(tmp_path / "shut", home=str(tmp_path / "base" / "bin"))
    assert open_(f"low @ env:{tmp_path}/open/bin/python", store).read_one("low.py") == b"base\n"
    with pytest.raises(SpecError, match="not installed"):
        open_(f"low @ env:{tmp_path}/shut/bin/python", store)


def test_a_linked_interpreter_belongs_to_its_environment(tmp_path: Path) -> None:
    site = environment(tmp_path / "venv")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mypython").symlink_to(tmp_path / "venv" / "bin" / "python")
    assert site_folders(tmp_path / "bin" / "mypython") == [site]


def test_installations_without_record(tmp_path: Path, store: Store) -> None:
    site = environment(tmp_path / "venv")
    plant(
        site,
        {
            "old-1.0-py3.11.egg-info/PKG-INFO": metadata("old", "1.0"),
            "old-1.0-py3.11.egg-info/top_level.txt": "oldpkg\nsolo\n",
            "oldpkg/__init__.py": "",
            "oldpkg/sub/a.py": "",
            "solo.py": "",
            "deb-2.0.egg-info": metadata("deb", "2.0"),
            "deb.py": "",
            "set-3.0.egg-info/PKG-INFO": metadata("set", "3.0"),
            "set-3.0.egg-info/installed-files.txt": "../setpkg/__init__.py\n../../../../bin/x.py\n",
            "setpkg/__init__.py": "",
        },
    )
    assert set(open_(f"old @ env:{tmp_path}/venv", store).files) == {"oldpkg/__init__.py", "oldpkg/sub/a.py", "solo.py"}
    assert (open_(f"deb @ env:{tmp_path}/venv", store).version, "deb.py") == ("2.0", "deb.py")
    assert set(open_(f"deb @ env:{tmp_path}/venv", store).files) == {"deb.py"}
    assert set(open_(f"set @ env:{tmp_path}/venv", store).files) == {"setpkg/__init__.py"}


@pytest.mark.parametrize("way", ["direct_url", "pth", "finder", "egg-link"])
def test_editable_installations(tmp_path: Path, store: Store, way: str) -> None:
    site = environment(tmp_path / "venv")
    project = plant(
        tmp_path / "project", {"pyproject.toml": PYPROJECT, "src/my_pkg/__init__.py": "edited\n", "tests/t.py": ""}
    )
    source = project / "src"
    finder = f"import sys\nMAPPING: dict[str, str] = {{'my_pkg': {str(source / 'my_pkg')!r}}}\nNAMESPACES = {{}}\n"
    if way == "direct_url":
        direct = json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}})
        install(site, "my_pkg", "1.2.dev3", {}, **{"direct_url.json": direct})
    elif way == "pth":
        install(site, "my_pkg", "1.2.dev3", {"__editable__.my_pkg.pth": f"{source}\n"})
    elif way == "finder":
        hook = "import __editable___my_pkg_finder; __editable___my_pkg_finder.install()\n"
        install(site, "my_pkg", "1.2.dev3", {"__editable__.my_pkg.pth": hook, "__editable___my_pkg_finder.py": finder})
    else:
        plant(site, {"my-pkg.egg-link": f"{source}\n../"})
        plant(source, {"my_pkg.egg-info/PKG-INFO": metadata("my-pkg", "1.2.dev3")})
    release = open_(f"my-pkg @ env:{tmp_path}/venv/bin/python", store)
    assert (release.version, release.packages) == ("1.2.dev3", ("my_pkg",))
    assert release.read(release.files) == {"my_pkg/__init__.py": b"edited\n"}
    assert release.locate("my_pkg/__init__.py") == source / "my_pkg/__init__.py"


def test_an_editable_installation_whose_project_is_gone(tmp_path: Path, store: Store) -> None:
    site = environment(tmp_path / "venv")
    direct = json.dumps({"url": (tmp_path / "gone").as_uri(), "dir_info": {"editable": True}})
    install(site, "my_pkg", "1.0", {}, **{"direct_url.json": direct})
    with pytest.raises(ArchiveError, match="which is gone"):
        open_(f"my-pkg @ env:{tmp_path}/venv", store)


def test_what_this_interpreter_has(store: Store) -> None:
    release = find_installed("PyTest", store=store)
    assert release is not None
    assert "pytest" in release.packages
    assert release.version == pytest.__version__
    assert find_installed("no-such-distribution", store=store) is None


def test_opening_imports_and_runs_nothing(tmp_path: Path, store: Store) -> None:
    """Every source that would be run leaves a trace; an audit hook sees any process but git."""
    trap = "raise SystemExit('this was executed')\n"
    site = environment(tmp_path / "venv")
    install(site, "trap", "1.0", {"trap/__init__.py": trap, "trap.pth": f"import os; os.abort(); {trap}"})
    project = plant(tmp_path / "project", {"setup.py": trap, "conftest.py": trap, "trap/__init__.py": trap})
    (tmp_path / "trap-1.0.tar.gz").write_bytes(sdist_bytes("trap", "1.0", {"setup.py": trap, "trap/__init__.py": trap}))
    (tmp_path / "trap-1.0-py3-none-any.whl").write_bytes(wheel_bytes("trap", "1.0", {"trap/__init__.py": trap}))
    events: list[str] = []
    watching = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if watching and event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect"):
            events.append(f"{event} {arguments!r}")

    sys.addaudithook(hook)
    specs = [f"trap @ env:{tmp_path}/venv/bin/python", project, tmp_path / "trap-1.0.tar.gz"]
    for spec in (*specs, tmp_path / "trap-1.0-py3-none-any.whl"):
        release = open_(spec, store)
        assert release.read_one("trap/__init__.py") == trap.encode()
    watching = False
    assert events == []
    assert "trap" not in sys.modules
