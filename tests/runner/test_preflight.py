"""Preflight: every audited call against the live library, before and after the patches."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from runner.making import APP, PATCHED, World, make

from auditor.model import ByName
from auditor.runner import calls, probing, signatures
from auditor.runner.inside import compiling


def digests(folder: Path) -> dict[str, str]:
    found = sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def test_the_patched_package_fits_and_the_unpatched_one_is_told_of(world, run):
    before = digests(world.site)
    code, out, err = run("preflight", *world.options)
    assert code == 0, out + err
    assert "app/main.py:8 call lib.core.Engine" in out
    assert "unpatched: fails: missing a required argument: 'block'" in out
    assert "unpatched: fails: got an unexpected keyword argument 'gone'" in out
    assert "live: Engine(config, block)" in out
    assert "patched: nothing fails" in out
    assert "no patch repairs: app/main.py:1 `lib.core` drifted" in out
    assert digests(world.site) == before


def test_the_unpatched_package_is_judged_on_request(world, run, tmp_path):
    code, out, _ = run("preflight", *world.options, "--unpatched", "--json", str(tmp_path / "r.json"))
    assert code == 1
    assert "unpatched: 2 would fail" in out
    rows = json.loads((tmp_path / "r.json").read_text())["rows"]
    assert {(r["line"], r["symbol"]) for r in rows if r["before"]} == {(8, "lib.core.Engine"), (12, "lib.core.shrunk")}
    assert not [r for r in rows if r["after"]]


def test_calls_methods_and_names_that_the_patches_bring_in_are_asked_about(world, run):
    code, out, _ = run("preflight", *world.options, "-v")
    assert code == 0
    assert "call lib.core.fresh" in out
    assert "string app.work.Extension" in out
    assert "method go" in out
    assert "module app.main" in out


@pytest.mark.parametrize(
    ("installed", "told"),
    [
        ("2.0+cpu", None),
        ("1.0", "the patches are proven for lib==2.0; 1.0 is installed here"),
        ("3.0", "audited against lib 1.0 to 2.0, not this release; 3.0 is installed here"),
    ],
)
def test_of_a_range_the_installed_release_is_asked_about(world, run, installed, told):
    info = world.site / f"lib-{installed}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: lib\nVersion: {installed}\n", encoding="utf-8")
    file = world.patches / "audit.json"
    audit = json.loads(file.read_text(encoding="utf-8"))
    whole = {"asked": "lib>=1", "releases": ["1.0", "2.0"], "proven": ["2.0"], "widest_patched": "lib==2.0"}
    audit["providers"][0]["range"] = whole
    gone = {**audit["call_sites"][0], "symbol": "lib.core.only_in_one", "releases": ["1.0"]}
    audit["call_sites"].append(gone)
    audit["findings"][2] |= {"provider": "lib", "releases": [{"first": "1.0", "last": "1.0", "state": "broken"}]}
    file.write_text(json.dumps(audit), encoding="utf-8")
    code, out, err = run("preflight", *world.options)
    assert code == (1 if installed == "1.0" else 0)
    assert ("only_in_one" in out) is ("no patch repairs: app/main.py:1" in out) is (installed == "1.0")
    assert told is None or told in err
    assert told is not None or "installed here" not in err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("fresh(1, y=2)", "fresh(1)"), "missing a required (keyword-only )?argument: 'y'"),  # from Python 3.13 on
        (("block=16", "blocks=16"), "missing a required argument: 'block'"),
        (("fresh, kept", "absent, fresh, kept"), "cannot import name 'absent'"),
        (("app.work.Extension", "app.work.Extensions"), "`app.work` has no `Extensions`"),
        (('rpc("go")', 'rpc("went")'), "no method `went`"),
    ],
)
def test_a_patch_that_does_not_fit_the_live_library_is_found(tmp_path, monkeypatch, run, change, told):
    world = make(tmp_path, patched=PATCHED.replace(*change))
    monkeypatch.setenv("PYTHONPATH", str(world.site))
    code, out, _ = run("preflight", *world.options)
    assert code == 1
    assert re.search(told, out)


def test_a_live_signature_that_is_not_the_audited_one_is_pointed_out(tmp_path, monkeypatch, run):
    world = make(tmp_path, lib={"lib/core.py": make_lib("def kept(a, b=1, c=2): return a")})
    monkeypatch.setenv("PYTHONPATH", str(world.site))
    code, out, _ = run("preflight", *world.options)
    assert code == 0
    assert "differs from the audited release: `c` is new" in out


def make_lib(kept: str) -> str:
    from runner.making import LIB

    return LIB["lib/core.py"].replace("def kept(a, b=1): return a", kept)


def refused(run, *arguments: str) -> str:
    code, out, err = run("preflight", *arguments)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1, err
    return err


def test_a_file_that_the_patches_were_not_made_for_is_refused(world, run):
    file = world.site / "app" / "main.py"
    file.write_text(APP + "# edited\n")
    told = refused(run, *world.options)
    assert f"{file}: It is not the file that the patches were made for" in told


def test_a_missing_package_is_refused(world, run, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "")
    assert "The package `app` is not installed there" in refused(run, *world.options)


def test_a_missing_file_is_refused(world, run):
    (world.site / "app" / "main.py").unlink()
    assert "are not there, such as `app/main.py`" in refused(run, *world.options)


def test_a_patch_that_was_tampered_with_is_refused(world, run):
    patch = world.patches / "010-a.patch"
    patch.write_bytes(patch.read_bytes().replace(b"block=16", b"block=17"))
    assert "it was changed after it was written" in refused(run, *world.options)


@pytest.mark.parametrize("content", [None, "{", '{"schema": 9}', '{"schema": 1, "consumer": 3}'])
def test_an_audit_that_cannot_be_read_is_refused(world, run, content):
    audit = world.patches / "audit.json"
    audit.unlink()
    if content is not None:
        audit.write_text(content)
    assert "audit.json" in refused(run, *world.options)


def test_no_interpreter_or_another_program_is_refused(world, run, tmp_path):
    patches = ["--patches", str(world.patches)]
    assert "no such interpreter" in refused(run, "--python", str(tmp_path / "none"), *patches)
    assert "does not answer" in refused(run, "--python", "/bin/cat", *patches)


def test_what_a_stranger_wrote_does_not_reach_the_terminal(tmp_path, monkeypatch, run):
    world = make(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(world.site))
    audit = world.patches / "audit.json"
    audit.write_text(audit.read_text().replace("`lib.core` drifted", "\\u001b[2Jgone"))
    _, out, _ = run("preflight", *world.options)
    assert "\x1b" not in out


@pytest.mark.parametrize("identity", ["aaa111", "bbb"])
def test_a_witness_shows_the_error_and_its_absence(world: World, run, tmp_path, identity):
    script = tmp_path / "witness.py"
    code, _, err = run("witness", *world.options, identity, "--out", str(script))
    assert code == 0, err
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "unpatched: TypeError: " in done.stdout
    assert "patched:   accepted" in done.stdout


def test_a_witness_of_something_else_than_a_call_is_refused(world, run, tmp_path):
    code, _, err = run("witness", *world.options, "ccc", "--out", str(tmp_path / "w.py"))
    assert code == 2
    assert "concerns no call" in err
    code, _, err = run("witness", *world.options, "zzz", "--out", str(tmp_path / "w.py"))
    assert code == 2
    assert "No finding begins with `zzz`" in err


@pytest.mark.parametrize(
    ("text", "live", "told"),
    [
        ("f(a, b=1)", "a b=", None),
        ("f(a: int, *, b: dict[str, int] = {}) -> X", "a *b=", None),
        ("f(a, b)", "a", "`b` is gone"),
        ("f(a)", "a b=", "`b` is new"),
        ("f(a, ...)", "a b=", None),
        ("f(a=1)", "a", "`a` is required here"),
        ("f(a='x, y', b=2)", "a= b", "`b` is required here"),
        ("f(a, b)", "b a", "its parameters have another order"),
        ("f(*args, **kw)", "", None),
        ("f(a, /, b=(1, 2))", "a b=", None),
    ],
)
def test_signatures_are_compared_by_the_names_of_their_parameters(text, live, told):
    parameters = []
    for name in live.split():
        kind = "keyword-only" if name.startswith("*") else "positional-or-keyword"
        parameters.append([name.strip("*="), kind, not name.endswith("=")])
    assert signatures.difference(text, parameters) == told


def test_calls_are_followed_through_edits():
    before = calls.find(b"def f():\n    a(1)\n    b(c(2), x=1)\n    a(3)\n")
    after = calls.find(b"def f():\n    n()\n    a(1)\n    b(\n        c(2),\n        y=1,\n    )\n    a(3)\n")
    pairs = calls.follow(before, after)
    assert [(before[i].callee, after[j].line, after[j].shape.keywords) for i, j in pairs.items()] == [
        ("a", 3, ()),
        ("b", 4, ("y",)),
        ("c", 5, ()),
        ("a", 8, ()),
    ]


def test_columns_count_characters():
    (call,) = calls.find("é = 'é'; f(1)\n".encode())
    assert (call.line, call.column) == (1, 10)


def test_imports_are_compiled_ahead_on_idle_cores(world, run, monkeypatch, tmp_path):
    monkeypatch.setattr(probing, "CORES", 1)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path / "bytecode"))
    assert run("preflight", *world.options)[0] == 0
    compiled = {path.name.split(".")[0] for path in (tmp_path / "bytecode").rglob("*.pyc")}
    assert {"main", "core"} <= compiled


def test_what_is_compiled_ahead_is_what_an_import_would_compile(tmp_path, monkeypatch):
    package = tmp_path / "pack"
    package.mkdir()
    for name, text in {
        "__init__": "from . import one\nfrom .two import thing\n",
        "one": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pack.unseen\nimport pack.three\n",
        "two": "thing = 1\ndef later():\n    import pack.unseen\n",
        "three": "try:\n    from pack import four\nexcept ImportError:\n    pass\n",
        "four": "",
        "unseen": "",
    }.items():
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    assert compiling.main(["pack"]) == 0
    compiled = {path.name.split(".")[0] for path in package.rglob("*.pyc")}
    assert compiled == {"__init__", "one", "two", "three", "four"}
    assert all(compiling.is_compiled(str(package / f"{name}.py")) for name in compiled)
    (package / "four.py").write_text("changed = True\n")
    assert not compiling.is_compiled(str(package / "four.py"))


@pytest.mark.parametrize("call", ['e.tell("go")', 'e.tell(1, method="go")', 'a.b.tell("go", 2)'])
def test_methods_are_called_by_name_where_the_audit_says_so(call):
    known = [ByName(("tell",), "method", ())]
    assert calls.names(call.encode(), (), known).methods == ((1, "go"),)
    assert calls.names(call.replace("tell", "ask").encode(), (), known).methods == ()
    assert calls.names(call.replace('"go"', "go").encode(), (), known).methods == ()
