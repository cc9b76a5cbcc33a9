from __future__ import annotations

from pathlib import Path

import pytest

from auditor.errors import SpecError
from auditor.packages.spec import ArchiveSpec, EnvironmentSpec, FolderSpec, IndexSpec, parse_spec


@pytest.mark.parametrize(
    ("text", "name", "specifier", "exact"),
    [
        ("vllm", "vllm", "", None),
        ("vllm==0.16", "vllm", "==0.16", "0.16"),
        ("vllm == 0.16.0", "vllm", "==0.16.0", "0.16.0"),
        ("vllm==0.16.*", "vllm", "==0.16.*", None),
        ("vllm>=0.12,<0.17", "vllm", "<0.17,>=0.12", None),
        ("vllm (>=0.12)", "vllm", ">=0.12", None),
        ("vllm[audio,video]==0.16.0rc1", "vllm", "==0.16.0rc1", "0.16.0rc1"),
        ("Ruamel.YAML~=0.18", "ruamel-yaml", "~=0.18", None),
        ("a===1.0-odd", "a", "===1.0-odd", "1.0-odd"),
    ],
)
def test_requirements(text: str, name: str, specifier: str, exact: str | None) -> None:
    spec = parse_spec(text)
    assert isinstance(spec, IndexSpec)
    assert (spec.name, spec.specifier, spec.exact) == (name, specifier, exact)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "name==1.2"),
        ("vllm=0.16", "vllm==0.16"),
        ("vllm 0.16", "vllm==0.16"),
        ("vllm==", "name==1.2"),
        ("vllm==1; python_version<'3'", None),
        ("vllm>=1 or so", None),
        ("-e .", None),
        ("env:", None),
        ("./nowhere", "folder"),
        ("nowhere-1.0.whl", None),
        ("vllm @ nowhere", "folder"),
        ("vllm\n==1", None),
        ("~nobody-of-that-name/./x@ref", None),
        ("./" + "x" * 5000, None),
        ("x" * 5000 + "@ref", None),
        ("https://example.org/a-1.0-py3-none-any.whl", None),
    ],
)
def test_refused(text: str, hint: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert "\n" not in str(caught.value)
    if hint:
        assert hint in str(caught.value)


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "checkout").mkdir()
    (tmp_path / "a-1.0.tar.gz").touch()
    assert parse_spec("./checkout") == FolderSpec(Path("checkout"), None, None, "./checkout")
    assert parse_spec("checkout@v1") == FolderSpec(Path("checkout"), "v1", None, "checkout@v1")
    assert parse_spec("vLLM @ checkout") == FolderSpec(Path("checkout"), None, "vllm", "checkout")
    assert parse_spec("a-1.0.tar.gz", name="A_b") == ArchiveSpec(Path("a-1.0.tar.gz"), "a-b", "a-1.0.tar.gz")
    assert parse_spec("env:/venv/bin/python", name="vllm") == EnvironmentSpec(
        Path("/venv/bin/python"), "vllm", "env:/venv/bin/python"
    )
    assert parse_spec("vllm @ env:/venv/bin/python") == EnvironmentSpec(
        Path("/venv/bin/python"), "vllm", "env:/venv/bin/python"
    )


def test_a_bare_word_is_a_package_even_beside_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "vllm").mkdir()
    assert isinstance(parse_spec("vllm"), IndexSpec)
    assert isinstance(parse_spec("vllm/"), FolderSpec)


def test_a_git_reference_cannot_be_an_option(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="git reference"):
        parse_spec(f"{tmp_path}@--upload-pack=evil")
