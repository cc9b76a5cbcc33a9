"""Patch files: what is written is read back the same, and git and patch take it; anything else is refused."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patches.sample import NAME, PATCHES, PRISTINE, SET, STATES, UNSAFE, found, laid, leftovers, patch, written

from auditor.errors import PatchError
from auditor.model import ConsumerInfo, PatchedFile, ProviderInfo
from auditor.patches import header, hunks
from auditor.patches.reader import MAX_BYTES, check_path, parse, read_set
from auditor.patches.series import PatchSet, folder_name, package, patched, provider_text
from auditor.patches.writer import render, write_set


def test_a_set_is_read_back_as_it_was_written(tmp_path):
    again = read_set(written(tmp_path))
    assert (again.consumer, again.version, again.providers) == ("app", "1.0", ("lib 1.0 -> 2.0",))
    assert again.packages == ("app",)
    for ours, theirs in zip(PATCHES, again.patches, strict=True):
        flat = msgspec.structs.replace(ours, old_signatures=("f( x: int, ) -> None",))
        assert msgspec.structs.replace(theirs, files=()) == msgspec.structs.replace(flat, files=())
        assert [hunks.raw(file) for file in theirs.files] == [hunks.raw(file) for file in ours.files]
        assert [(f.path, f.before, f.after) for f in theirs.files] == [(f.path, f.before, f.after) for f in ours.files]
    assert patched(again.patches, PRISTINE) == UNSAFE


TOOLS = {
    "git": (["git", "apply", "--whitespace=nowarn"], ["git", "apply", "--whitespace=nowarn", "-R"]),
    "patch": (["patch", "-p1", "--binary", "-i"], ["patch", "-R", "-p1", "--binary", "-i"]),
    "plain patch": (["patch", "-p1", "-i"], ["patch", "-R", "-p1", "-i"]),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_other_tools_take_the_patches(tmp_path, tool):
    forward, backward = TOOLS[tool]
    if shutil.which(forward[0]) is None:
        pytest.skip(f"{forward[0]} is not installed")
    folder, root = written(tmp_path / "patches"), laid(tmp_path / "tree")
    names = (folder / "series").read_text().split()
    for number, name in enumerate(names):
        subprocess.run([*forward, str(folder / name)], cwd=root, check=True, capture_output=True)
        assert found(root) == STATES[number + 1]
    for number, name in reversed(list(enumerate(names))):
        subprocess.run([*backward, str(folder / name)], cwd=root, check=True, capture_output=True)
        assert found(root) == STATES[number]
    assert not leftovers(root)


def test_the_header_tells_people_what_it_is(tmp_path):
    text = (written(tmp_path) / "030-altered.patch").read_text().partition("\n--- ")[0]
    for line in ("# Rule: altered", "# Consumer: app 1.0", "# Provider: lib 1.0 -> 2.0", "# Safety: unsafe"):
        assert line in text.split("\n")
    assert "# Old: f( x: int, ) -> None" in text
    assert "# Proof: parses: all parse" in text
    assert text.count("sha256:") == 3


def test_a_set_replaces_an_earlier_one_and_nothing_else(tmp_path):
    folder = written(tmp_path)
    (folder / "audit.json").write_text("{}")
    (folder / "notes.patch").write_text("mine")
    write_set(tmp_path, NAME, PatchSet("app", "1.0", (), PATCHES[:1]))
    assert sorted(p.name for p in folder.iterdir()) == [
        "010-unknown-argument.patch",
        "audit.json",
        "notes.patch",
        "series",
    ]
    assert len(read_set(folder).patches) == 1


def test_writing_the_same_set_twice_gives_the_same_bytes(tmp_path):
    one, two = written(tmp_path / "a"), written(tmp_path / "b")
    assert {p.name: p.read_bytes() for p in one.iterdir()} == {p.name: p.read_bytes() for p in two.iterdir()}


def test_names_of_folders():
    consumer = ConsumerInfo("speculators", "0.3.0", "", 1)
    provider = ProviderInfo("vllm", ("vllm",), "0.11.0", "0.16.0", None, "", "")
    assert folder_name(consumer, [provider]) == "speculators-0.3.0--vllm-0.16.0"
    odd = msgspec.structs.replace(provider, new="../vllm@main", old=None)
    assert folder_name(msgspec.structs.replace(consumer, version=None), [odd, provider]) == (
        "speculators--vllm-..-vllm-main--vllm-0.16.0"
    )
    assert (provider_text(provider), provider_text(odd)) == ("vllm 0.11.0 -> 0.16.0", "vllm ../vllm@main")
    assert [package(path) for path in ("app/a.py", "src/app/a.py", "a.py", "src/a.py")] == [
        "app",
        "app",
        "a.py",
        "a.py",
    ]


HOSTILE = "x\n--- a/app/one.py\n+++ b/app/one.py\n@@ -1 +1 @@\n\x1b[2J\x07\u202e{{ 7*7 }}{% raw %}`rm -rf`\ud800"


def test_header_values_are_harmless(tmp_path):
    nasty = msgspec.structs.replace(
        PATCHES[0], reason=HOSTILE, symbols=(HOSTILE,), old_signatures=(HOSTILE,), rule=HOSTILE, findings=(HOSTILE,)
    )
    content = render(nasty, PatchSet(HOSTILE, HOSTILE, (HOSTILE,), (nasty,)))
    head = content[: content.index(b"\n--- a/") + 1].decode()
    assert all(line.startswith("# ") for line in head.splitlines())
    assert all(char == "\n" or char.isprintable() for char in head)
    assert "{{ 7*7 }}" in head
    assert parse("010-x.patch", content).patches[0].reason == header.plain(HOSTILE)
    folder = write_set(tmp_path, "x", PatchSet(HOSTILE, None, (), (nasty,)))
    root = laid(tmp_path / "tree")
    for tool in (["git", "apply"], ["patch", "-p1", "-i"]):
        if shutil.which(tool[0]):
            subprocess.run([*tool, str(folder / nasty.name)], cwd=root, check=True, capture_output=True)
            assert found(root) == STATES[1]
            laid(root)


@settings(deadline=None)
@given(st.text())
def test_plain_texts_stay_plain(text):
    plain = header.plain(text)
    assert header.plain(plain) == plain
    assert plain.isprintable()
    assert len(plain) <= header.LIMIT
    plain.encode()


def resealed(content: bytes) -> bytes:
    """A changed patch whose seal was made to fit."""
    first, _, rest = content.split(b"\n", 2)
    return first + b"\n# Content: sha256:" + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest


CONTENT = render(PATCHES[0], SET)
TAMPERED = {
    "a hunk": (b"+x = lib.f()", b"+x = evil()"),
    "safety": (b"# Safety: safe", b"# Safety: unsafe"),
    "a digest": (b"# Gives: sha256:", b"# Gives: sha256:0"),
    "the seal": (b"# Content: sha256:", b"# Content: sha256:0"),
    "a line end": (b"lib.f(1)\r\n", b"lib.f(1)\n"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_tampered_patch_is_refused(what):
    old, new = TAMPERED[what]
    assert old in CONTENT
    with pytest.raises(PatchError):
        parse("010-x.patch", CONTENT.replace(old, new))


BODY = CONTENT[CONTENT.index(b"\n--- a/") + 1 :]
RESEALED = {
    "new file": (b"--- a/app/one.py\n", b"--- /dev/null\n"),
    "deleted file": (b"+++ b/app/one.py\n", b"+++ /dev/null\n"),
    "renamed file": (b"+++ b/app/one.py\n", b"+++ b/app/two.py\n"),
    "git header": (b"--- a/app/one.py\n", b"diff --git a/app/one.py b/app/one.py\n--- a/app/one.py\n"),
    "mode change": (
        b"--- a/app/one.py\n",
        b"diff --git a/app/one.py b/app/one.py\nold mode 100644\nnew mode 100755\n--- a/app/one.py\n",
    ),
    "binary": (BODY, BODY + b"Binary files a/app/x.so and b/app/x.so differ\n"),
    "git binary": (BODY, BODY + b"diff --git a/app/x.py b/app/x.py\nGIT binary patch\nliteral 1\nIcmZQz\n"),
    "text behind": (BODY, BODY + b"echo pwned\n"),
    "blank line behind": (BODY, BODY + b"\n"),
    "another file": (BODY, BODY + b"--- a/app/two.py\n+++ b/app/two.py\n@@ -1,1 +1,1 @@\n-a\n+b\n"),
    "same file twice": (BODY, BODY + BODY),
    "longer than said": (b"@@ -1,6 +1,6 @@", b"@@ -1,5 +1,6 @@"),
    "section heading": (b"@@ -1,6 +1,6 @@", b"@@ -1,6 +1,6 @@ def f():"),
    "huge numbers": (b"@@ -1,6 +1,6 @@", b"@@ -1,6 +" + b"9" * 5000 + b",6 @@"),
    "header path": (b"# File: app/one.py", b"# File: app/two.py"),
    "unknown header line": (b"# Safety: safe", b"# Safety: safe\n# Execute: rm"),
    "header line twice": (b"# Safety: safe", b"# Safety: safe\n# Safety: safe"),
    "header out of order": (b"# Safety: safe\n", b"# Proof: a: b\n# Safety: safe\n"),
    "display-only": (b"# Safety: safe", b"# Safety: display-only"),
    "escape in header": (b"# Symbol: lib.f", b"# Symbol: lib.f\x1b[2J"),
    "bidi in header": (b"# Symbol: lib.f", "# Symbol: lib.f\u202e".encode()),
    "no bytes of text": (b"# Symbol: lib.f", b"# Symbol: \xff"),
    "later format": (b"format 1", b"format 2"),
    "no digests": (b"# Expects: sha256:", b"# Expects: md5:"),
    "carriage returns": (b"--- a/app/one.py\n", b"--- a/app/one.py\r\n"),
    "timestamp": (b"--- a/app/one.py\n", b"--- a/app/one.py\t2020-01-01\n"),
    "ends early": (BODY, BODY[:-3]),
}


@pytest.mark.parametrize("what", RESEALED)
def test_what_no_patch_of_ours_holds_is_refused_even_when_sealed(what):
    old, new = RESEALED[what]
    assert old in CONTENT
    parse("010-x.patch", resealed(CONTENT))
    with pytest.raises(PatchError):
        parse("010-x.patch", resealed(CONTENT.replace(old, new, 1)))


@pytest.mark.parametrize("cut", range(0, len(CONTENT), 97))
def test_a_truncated_patch_is_refused(cut):
    for content in (CONTENT[:cut], resealed(CONTENT[:cut]) if CONTENT[:cut].count(b"\n") > 1 else b""):
        with pytest.raises(PatchError):
            parse("010-x.patch", content)


@settings(deadline=None)
@given(st.binary(max_size=400), st.integers(0, len(CONTENT)), st.integers(0, 60))
def test_arbitrary_bytes_never_do_worse_than_a_refusal(junk, at, cut):
    for content in (junk, CONTENT[:at] + junk + CONTENT[at + cut :]):
        for sealed in (content, resealed(content) if content.count(b"\n") > 1 else b""):
            try:
                patches = parse("010-x.patch", sealed)
            except PatchError:
                continue
            for file in patches.patches[0].files:
                check_path(file.path)


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/x.py", "../x.py", "app/../x.py", "./app/x.py", "app//x.py", "app/x.py/", "C:/x.py", "app\\x.py", ""),
        *(
            "app/x.so",
            "app/x.pth",
            "app/x",
            "app/sitecustomize.pyc",
            ".git/x.py",
            "app/con.py",
            "app/ x.py",
            "app/x .py ",
        ),
        *("app/x\n.py", "app/\x1b.py", "app/\u202e.py", "a" * 500 + ".py", "app./x.py", '"app/x.py"', "app/x.py\t"),
    ],
)
def test_other_paths_are_refused(path):
    with pytest.raises(PatchError):
        check_path(path)


@pytest.mark.parametrize(
    "path", ["app/x.py", "x.py", "src/app/x.pyi", "app/sub dir/x.py", "app/é.py", "app/a-b/x_1.py"]
)
def test_python_paths_are_taken(path):
    check_path(path)


def test_the_series_is_read_strictly(tmp_path):
    folder = written(tmp_path)
    for text in (
        "../evil.patch\n",
        "/etc/passwd\n",
        "010-unknown-argument.patch\n" * 2,
        "999-missing.patch\n",
        "",
        "\xff\n",
    ):
        (folder / "series").write_text(text, encoding="latin-1")
        with pytest.raises(PatchError):
            read_set(folder)
    (folder / "series").write_text("# mine\n010-unknown-argument.patch\n")
    assert len(read_set(folder).patches) == 1
    (folder / "series").write_text("010-unknown-argument.patch\n030-altered.patch\n")
    with pytest.raises(PatchError, match="does not continue"):
        read_set(folder)


def test_links_sizes_and_strangers_are_refused(tmp_path):
    folder = written(tmp_path)
    first = folder / "010-unknown-argument.patch"
    content = first.read_bytes()
    first.unlink()
    first.symlink_to(tmp_path / "else")
    with pytest.raises(PatchError, match="not a plain file"):
        read_set(folder)
    first.unlink()
    first.write_bytes(content + b"#" * MAX_BYTES)
    with pytest.raises(PatchError, match="larger"):
        read_set(folder)
    first.write_bytes(render(PATCHES[0], PatchSet("other", "1.0", (), PATCHES[:1])))
    with pytest.raises(PatchError, match="another set"):
        read_set(folder)
    with pytest.raises(PatchError, match="no such folder"):
        read_set(tmp_path / "nowhere")


def test_only_the_package_asked_for_is_edited(tmp_path):
    folder = written(tmp_path)
    assert read_set(folder, only="app")
    with pytest.raises(PatchError, match="edit app, not `os`"):
        read_set(folder, only="os")


TEXTS = st.lists(
    st.sampled_from(
        ["a\n", "b\n", "\n", "--- a/x\n", "+++ b/x\n", "@@ -1 +1 @@\n", "\\ No\n", "é\r\n", "\x0c\n", "\x85\u2028\n"]
    )
)


@settings(deadline=None)
@given(TEXTS, TEXTS, st.sampled_from(["", "end"]), st.sampled_from(["", "end", "\r"]))
def test_any_edit_can_be_written_and_taken_back(before, after, end, other):
    old, new = ("".join(before) + end).encode(), ("".join(after) + other).encode()
    file = hunks.make("app/x.py", old, new)
    assert hunks.apply(old, file) == new
    assert hunks.reverse(new, file) == old
    if old != new:
        wrong = old + b"!"
        with pytest.raises(PatchError):
            hunks.apply(wrong, file)
        lines = new.split(b"\n")
        assert all(1 <= number <= len(lines) + 1 for number in hunks.changed_lines(file))
        sealed = msgspec.structs.replace(PATCHES[0], files=(file,))
        again = parse("010-x.patch", render(sealed, SET)).patches[0].files[0]
        assert hunks.apply(old, again) == new


def test_a_diff_is_bound_to_its_digests_and_its_path():
    file = PATCHES[0].files[0]
    for field, value in {"before": "0" * 64, "after": "0" * 64, "path": "app/two.py", "diff": file.diff + "\n"}.items():
        with pytest.raises(PatchError):
            hunks.apply(PRISTINE["app/one.py"], msgspec.structs.replace(file, **{field: value}))


def test_encodings_that_cannot_be_kept_are_refused():
    with pytest.raises(PatchError, match="encoding"):
        hunks.make("app/x.py", b"\xff", b"\xfe")
    with pytest.raises(PatchError, match="encoding"):
        hunks.make("app/x.py", b"# coding: nonsense\n", b"# coding: nonsense\nx\n")


def test_bad_names_are_not_written(tmp_path):
    bad = patch("evil.patch", STATES[0], STATES[1])
    with pytest.raises(PatchError, match="names"):
        write_set(tmp_path, NAME, PatchSet("app", "1", (), (bad,)))
    with pytest.raises(PatchError, match="path"):
        render(msgspec.structs.replace(PATCHES[0], files=(PatchedFile("a\n.py", "", "", ""),)), SET)
    (tmp_path / "file").write_text("")
    with pytest.raises(PatchError, match="cannot be written"):
        write_set(tmp_path / "file", NAME, SET)


def test_reading_and_applying_needs_few_libraries():
    code = "import sys, auditor.patches.reader, auditor.patches.apply; print(*(m.split('.')[0] for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"libcst", "jinja2", "rich", "click"} & set(re.split(r"\s", done.stdout))
