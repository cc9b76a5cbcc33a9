from __future__ import annotations

import io
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from packages.making import metadata, sdist_bytes, tar_bytes, wheel_bytes

from auditor.errors import ArchiveError
from auditor.packages import limits, sdist
from auditor.packages.index import PackageIndex
from auditor.packages.pipconf import PipConfig
from auditor.packages.release import Release, open_release
from auditor.packages.store import Store

GOOD = {"a/__init__.py": "x = 1\n", "a/b.py": "y = 2\n"}


def opened(folder: Path, filename: str, body: bytes, store: Store) -> Release:
    (folder / filename).write_bytes(body)
    release = open_release(str(folder / filename), store=store, index=PackageIndex(store, config=PipConfig()))
    release.read(release.files)
    return release


def refusal(folder: Path, filename: str, body: bytes) -> str:
    """The one line that an archive is refused with; nothing of it may have been stored."""
    with Store(folder / "cache") as store:
        with pytest.raises(ArchiveError) as caught:
            opened(folder, filename, body, store)
        assert store._read("SELECT count(*) FROM blob WHERE 1 IN (?)", [1]) == [(0,)]
    text = str(caught.value)
    assert text.startswith(f"{filename}: ")
    assert "\n" not in text
    assert text.isprintable()
    return text


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a-1.0.dist-info/METADATA", metadata("a", "1.0"))
        for name, content in members:
            archive.writestr(name, content, compress_type=method)
    return buffer.getvalue()


WHEEL = "a-1.0-py3-none-any.whl"
SDIST = "a-1.0.tar.gz"


@pytest.mark.parametrize(
    "name", ["../a.py", "a/../../b.py", "/etc/a.py", "C:/a.py", "..\\a.py", "\\\\host\\a.py", "a/../b.txt"]
)
def test_wheel_members_outside(tmp_path: Path, name: str) -> None:
    body = zipped(("a/xx_b.py", b"")).replace(b"a/xx_b.py", b"a/xx_b.py")
    info = zipfile.ZipInfo("placeholder")
    info.filename = name
    body = zipped((info, b""))
    assert "refused" in refusal(tmp_path, WHEEL, body)


@pytest.mark.parametrize(
    "name", ["a/x\x01.py", "a/\x1b[31m.py", "a/\u202e.py", "/".join("a" * 70) + ".py", "b" * 2000 + ".py"]
)
def test_wheel_members_with_odd_names(tmp_path: Path, name: str) -> None:
    assert "refused" in refusal(tmp_path, WHEEL, zipped((name, b"")))


def test_duplicate_members(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        body = zipped(("a/b.py", b"x"), ("a/b.py", b"y"))
    assert "two members are called 'a/b.py'" in refusal(tmp_path, WHEEL, body)
    assert "two members" in refusal(tmp_path, WHEEL, zipped(("a/b.py", b"x"), ("a//b.py", b"y")))
    data = zipped(("a/b.py", b"x"), ("a-1.0.data/purelib/a/b.py", b"y"))
    assert "installed onto others" in refusal(tmp_path, WHEEL, data)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_in_wheels(tmp_path: Path, kind: int) -> None:
    info = zipfile.ZipInfo("a/b.py")
    info.create_system = 3
    info.external_attr = (kind | 0o777) << 16
    assert "is a link or device" in refusal(tmp_path, WHEEL, zipped((info, b"/etc/passwd")))


def test_encrypted_and_unknown_methods(tmp_path: Path) -> None:
    body = bytearray(zipped(("a/b.py", b"x" * 100)))
    place = body.rindex(b"PK\1\2")
    body[place + 8] |= 1
    assert "encrypted" in refusal(tmp_path, WHEEL, bytes(body))
    assert "zip method 14" in refusal(tmp_path, WHEEL, zipped(("a/b.py", b"x" * 100), method=zipfile.ZIP_LZMA))


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = b"\0" * (limits.RATIO_FREE + 1)
    assert "like a bomb" in refusal(tmp_path, WHEEL, zipped(("a/b.py", zeros)))
    monkeypatch.setattr(limits, "MAX_SOURCE", 1000)
    assert "the limit is 1000" in refusal(tmp_path, WHEEL, zipped(("a/b.py", b"x" * 1001)))
    assert "the limit is 1000" in refusal(tmp_path, SDIST, sdist_bytes("a", "1.0", {"a.py": "x" * 1001}))
    monkeypatch.setattr("auditor.packages.wheel.MAX_SOURCES", 1500)
    monkeypatch.setattr(limits, "MAX_SOURCES", 1500)
    two = {"a.py": b"x" * 999, "b.py": b"y" * 999}
    assert "more than 1500 bytes" in refusal(tmp_path, WHEEL, wheel_bytes("a", "1.0", two))
    assert "more than 1500 bytes" in refusal(tmp_path, SDIST, sdist_bytes("a", "1.0", two))


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.packages.zipdir.MAX_MEMBERS", 3)
    monkeypatch.setattr(limits, "MAX_MEMBERS", 3)
    many = {f"a/{number}.txt": "" for number in range(9)}
    assert "refused: 14 members" in refusal(tmp_path, WHEEL, wheel_bytes("a", "1.0", {**GOOD, **many}))
    assert "more than 3 members" in refusal(tmp_path, SDIST, sdist_bytes("a", "1.0", {**GOOD, **many}))


def test_a_tar_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RATIO_FREE", 1000)
    body = sdist_bytes("a", "1.0", {"a.py": "x", "zeros.bin": b"\0" * 3_000_000})
    assert "refused: unpacks to more than" in refusal(tmp_path, SDIST, body)


def every_cut(body: bytes) -> list[int]:
    return [0, 1, 10, len(body) // 4, len(body) // 2, len(body) - 30, len(body) - 1]


@pytest.mark.parametrize("which", range(7))
def test_truncated(tmp_path: Path, which: int) -> None:
    for filename, body in ((WHEEL, wheel_bytes("a", "1.0", GOOD)), (SDIST, sdist_bytes("a", "1.0", GOOD))):
        refusal(tmp_path, filename, body[: every_cut(body)[which]])


def test_every_single_byte_matters_or_is_ignored_safely(
    tmp_path: Path, store: Store, record_property: Callable[[str, object], None]
) -> None:
    """Whatever byte is damaged: the sources come out right, or the archive is refused. Never anything else."""
    tried = 0
    for filename, body in ((WHEEL, wheel_bytes("a", "1.0", GOOD)), (SDIST, sdist_bytes("a", "1.0", GOOD))):
        right = opened(tmp_path, filename, body, store)
        expected = right.read(right.files)
        refused = 0
        for place in range(0, len(body), 3):
            bad = bytearray(body)
            bad[place] ^= 0x55
            try:
                release = opened(tmp_path, filename, bytes(bad), store)
            except ArchiveError:
                refused += 1
                continue
            found = release.read(release.files)
            assert {path: found[path] for path in found if path in expected} == {
                path: expected[path] for path in found if path in expected
            }
        assert refused > len(body) // 3 // 4
        tried += len(range(0, len(body), 3))
    record_property("inputs", tried)


def patched_directory(name: bytes, offset: int, value: bytes) -> Callable[[bytes], bytes]:
    def patch(body: bytes) -> bytes:
        changed = bytearray(body)
        place = body.rindex(b"PK\1\2", 0, body.rindex(name))
        changed[place + offset : place + offset + len(value)] = value
        return bytes(changed)

    return patch


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (patched_directory(b"a/b.py", 24, struct.pack("<L", 3)), "RECORD gives another size"),
        (patched_directory(b"a/b.py", 20, struct.pack("<L", 10**6)), "overlaps another"),
        (patched_directory(b"a/b.py", 42, struct.pack("<L", 0)), "overlaps another"),
        (patched_directory(b"a/b.py", 42, struct.pack("<L", 10**8)), "overlaps another"),
        (patched_directory(b"a/b.py", 16, b"\0\0\0\0"), "CRC-32"),
        (patched_directory(b"a/b.py", 46, b"a/c.py"), "differs from the zip directory"),
        (patched_directory(b"a/b.py", 28, struct.pack("<H", 7)), "zip directory"),
    ],
)
def test_a_directory_that_lies(tmp_path: Path, patch: Callable[[bytes], bytes], message: str) -> None:
    assert message in refusal(tmp_path, WHEEL, patch(wheel_bytes("a", "1.0", GOOD)))


def test_a_lying_size_without_record(tmp_path: Path) -> None:
    for size in (3, 10**6):
        body = patched_directory(b"a/b.py", 24, struct.pack("<L", size))(wheel_bytes("a", "1.0", GOOD, record=False))
        assert "another size" in refusal(tmp_path, WHEEL, body)


def zip64(body: bytes, **changes: int) -> bytes:
    """The same archive with a zip64 end record."""
    end = body.rindex(b"PK\5\6")
    _, _, _, _, count, length, offset, _ = struct.unpack("<4s4H2LH", body[end : end + 22])
    values = {"count": count, "length": length, "offset": offset, "at": end, **changes}
    record = struct.pack(
        "<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, values["count"], values["count"], values["length"], values["offset"]
    )
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, values["at"], 1)
    return (
        body[:end] + record + locator + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, 2**32 - 1, 2**32 - 1, 0)
    )


def test_zip64(tmp_path: Path, store: Store) -> None:
    body = wheel_bytes("a", "1.0", GOOD)
    assert opened(tmp_path, WHEEL, zip64(body), store).read_one("a/b.py") == b"y = 2\n"
    forced = io.BytesIO()
    with zipfile.ZipFile(forced, "w") as archive:
        archive.writestr("a-1.0.dist-info/METADATA", metadata("a", "1.0"))
        with archive.open("a/b.py", "w", force_zip64=True) as member:
            member.write(b"y = 2\n")
    assert opened(tmp_path, WHEEL, forced.getvalue(), store).read_one("a/b.py") == b"y = 2\n"


@pytest.mark.parametrize(
    "changes",
    [{"at": 0}, {"at": 10**12}, {"offset": 10**12}, {"offset": 0}, {"length": 10**12}, {"count": 10**9}, {"count": 1}],
)
def test_bad_zip64(tmp_path: Path, changes: dict[str, int]) -> None:
    refusal(tmp_path, WHEEL, zip64(wheel_bytes("a", "1.0", GOOD), **changes))


def test_comments_and_trailing_bytes(tmp_path: Path, store: Store) -> None:
    buffer = io.BytesIO(wheel_bytes("a", "1.0", GOOD))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b"a comment with PK\5\6 in it"
    assert opened(tmp_path, WHEEL, buffer.getvalue(), store).packages == ("a",)
    assert "no end record" in refusal(tmp_path, WHEEL, wheel_bytes("a", "1.0", GOOD) + b"x")
    assert "not where the file says" in refusal(tmp_path, WHEEL, b"x" + wheel_bytes("a", "1.0", GOOD))


def test_not_a_wheel(tmp_path: Path) -> None:
    assert "no .dist-info" in refusal(tmp_path, WHEEL, zipped()[:0] + _zip({"a.py": b""}))
    two = {"a-1.0.dist-info/METADATA": b"Name: a", "A-2.0.dist-info/METADATA": b"Name: a"}
    assert "several .dist-info" in refusal(tmp_path, WHEEL, _zip(two))
    assert "no Python sources" in refusal(tmp_path, SDIST, sdist_bytes("a", "1.0", {"README": "x"}))


def _zip(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    "member",
    [
        link("a-1.0/a/c.py", "/etc/passwd"),
        link("a-1.0/a/c.py", "../../../etc/passwd"),
        link("a-1.0/data", "../../x"),
        link("a-1.0/a/c.py", "../x", tarfile.LNKTYPE),
        link("a-1.0/a/null", "", tarfile.CHRTYPE),
        link("a-1.0/a/pipe.py", "", tarfile.FIFOTYPE),
        link("a-1.0/a/disk", "", tarfile.BLKTYPE),
        link("../a.py", "", tarfile.REGTYPE),
        link("/a.py", "", tarfile.REGTYPE),
        link("a-1.0/a/b.py", "", tarfile.REGTYPE),
        link("a-1.0/a/\x07.py", "", tarfile.REGTYPE),
        link("a-1.0/a/\udcff.py", "", tarfile.REGTYPE),
        link("a-1.0/a/s.py", "", tarfile.GNUTYPE_SPARSE),
    ],
    ids=lambda member: repr(member.name) + member.type.decode(),
)
def test_tar_members(tmp_path: Path, member: tarfile.TarInfo) -> None:
    refusal(tmp_path, SDIST, sdist_bytes("a", "1.0", GOOD, members=(member,)))


def test_links_inside_an_sdist_are_what_they_point_to(tmp_path: Path, store: Store) -> None:
    links = (
        link("a-1.0/a/c.py", "b.py"),
        link("a-1.0/a/d.py", "a-1.0/a/b.py", tarfile.LNKTYPE),
        link("a-1.0/a/e.py", "c.py"),
        link("a-1.0/a/loop.py", "loop.py"),
        link("a-1.0/a/dangling.py", "nowhere.py"),
        link("a-1.0/docs", "a"),
    )
    release = opened(tmp_path, SDIST, sdist_bytes("a", "1.0", GOOD, members=links), store)
    assert set(release.files) == {"a/__init__.py", "a/b.py", "a/c.py", "a/d.py", "a/e.py"}
    assert release.read_one("a/e.py") == release.read_one("a/d.py") == b"y = 2\n"


def test_long_names_and_other_formats(tmp_path: Path, store: Store) -> None:
    deep = "a/" + "/".join(["folder_with_a_long_name"] * 12) + "/m.py"
    files = {
        "a-1.0/PKG-INFO": metadata("a", "1.0"),
        **{f"a-1.0/{path}": text for path, text in {**GOOD, deep: "z"}.items()},
    }
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:bz2", format=form) as archive:
            for path, text in files.items():
                info = tarfile.TarInfo(path)
                info.size = len(text)
                archive.addfile(info, io.BytesIO(text.encode()))
        assert deep in opened(tmp_path, "a-1.0.tar.bz2", buffer.getvalue(), store).files
    zipped_ = _zip({path: text.encode() for path, text in files.items()})
    assert deep in opened(tmp_path, "a-1.0.zip", zipped_, store).files
    assert deep in opened(tmp_path, "a-1.0.tar", tar_bytes(files, mode="w:"), store).files
    assert "xz" in refusal(tmp_path, "a-1.0.tar.xz", tar_bytes(files, mode="w:xz"))


def pax(records: bytes) -> bytes:
    info = tarfile.TarInfo("pax")
    info.type, info.size = b"x", len(records)
    return info.tobuf(tarfile.USTAR_FORMAT) + records + b"\0" * (-len(records) % 512)


@pytest.mark.parametrize(
    "records",
    [
        b"99 path=x\n",
        b"x path=x\n",
        b"9 size=-1\n"[:9] + b"\n",
        b"0 \n",
        b"999999999999999999999 a=b\n",
        b"25 size=99999999999999999999\n",
    ],
)
def test_bad_pax_headers(tmp_path: Path, records: bytes) -> None:
    body = pax(records) + tar_bytes({"a-1.0/a.py": "x"}, mode="w:")
    refusal(tmp_path, "a-1.0.tar", body)


def test_a_tar_member_larger_than_the_file(tmp_path: Path) -> None:
    info = tarfile.TarInfo("a-1.0/a.py")
    info.size = 10_000_000
    refusal(tmp_path, "a-1.0.tar", info.tobuf() + b"x" * 512)
    info.size = 10**11
    info.name = "a-1.0/a.bin"
    refusal(tmp_path, "a-1.0.tar", info.tobuf() + b"x" * 512)


def test_a_giant_extension_header(tmp_path: Path) -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = b"L", sdist._MAX_HEADER + 1
    assert "a tar header of" in refusal(tmp_path, "a-1.0.tar", info.tobuf())
