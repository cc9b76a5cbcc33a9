"""Samples and the disk: what counts after the machine went down, and what the program's own death leaves."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from runner.test_extract import arguments, contents, manifest

from auditor.runner.inside import keeping

__all__ = ["arguments"]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    own = tmp_path / "out" / "api-audit-run"
    own.mkdir(parents=True)
    return own.parent, own


def sample(out: Path, number: int) -> int:
    (out / f"data_{number}.pt").write_bytes(b"x")
    return number


def another_boot(monkeypatch: pytest.MonkeyPatch, folder: Path, name: str = "another") -> None:
    (folder / "boot_id").write_text(name)
    monkeypatch.setattr(keeping, "BOOT", folder / "boot_id")


def numbers(out: Path) -> list[int]:
    return sorted(int(path.stem.removeprefix("data_")) for path in out.glob("data_*.pt"))


def test_what_was_brought_to_the_disk_survives_a_crash_of_the_machine(folders, tmp_path, monkeypatch):
    out, own = folders
    keeper = keeping.Keeper(out, own, 0, interval=0.01)
    for number in (3, 1):
        keeper.add(sample(out, number))
    deadline = time.monotonic() + 10
    while (own / "kept-0.txt").read_text() != "3\n1\n" if (own / "kept-0.txt").exists() else True:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    sample(out, 2)  # in place, but nothing has asked the disk for it
    another_boot(monkeypatch, tmp_path)
    assert keeping.settle(out, own) == 1
    assert numbers(out) == [1, 3]
    another_boot(monkeypatch, tmp_path, "a third one")
    assert keeping.settle(out, own) == 0
    keeper.close()


def test_the_death_of_a_program_costs_nothing(folders):
    out, own = folders
    keeping.Keeper(out, own, 0, interval=1000)
    sample(out, 5)
    assert keeping.settle(out, own) == 0
    assert numbers(out) == [5]


def test_what_earlier_runs_left_stays_kept(folders, tmp_path, monkeypatch):
    out, own = folders
    keeping.Keeper(out, own, 0, interval=1000)
    sample(out, 5)
    keeping.settle(out, own)
    keeping.Keeper(out, own, 1, interval=1000)
    sample(out, 6)
    another_boot(monkeypatch, tmp_path)
    assert keeping.settle(out, own) == 1
    assert numbers(out) == [5]


def test_a_line_of_the_journal_that_was_cut_counts_for_nothing(folders, tmp_path, monkeypatch):
    out, own = folders
    keeping.Keeper(out, own, 0, interval=1000)
    for number in (1, 12):
        sample(out, number)
    (own / "kept-0.txt").write_text("12\n1")
    another_boot(monkeypatch, tmp_path)
    assert keeping.settle(out, own) == 1
    assert numbers(out) == [12]


def test_the_end_waits_for_the_disk(folders):
    out, own = folders
    keeper = keeping.Keeper(out, own, 0, interval=1000)
    keeper.add(sample(out, 7))
    assert keeper.close() >= 0
    assert (own / "kept-0.txt").read_text() == "7\n"


def test_a_disk_that_refuses_is_told(folders, monkeypatch):
    def refuse(_folder: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(keeping, "sync", refuse)
    out, own = folders
    keeper = keeping.Keeper(out, own, 0, interval=1000)
    keeper.add(sample(out, 7))
    with pytest.raises(keeping.KeepError, match="Input/output error"):
        keeper.close()


def test_a_run_after_a_crash_makes_again_what_may_not_be_whole(arguments, run, tmp_path, monkeypatch):
    out = tmp_path / "out"
    assert run(*arguments, "--out", str(out))[0] == 0
    whole = contents(out)
    journal = out / "api-audit-run" / "kept-0.txt"
    assert sorted(map(int, journal.read_text().split())) == list(range(12))
    journal.write_text("".join(f"{number}\n" for number in range(9)))
    (out / "data_10.pt").write_bytes(b"")  # as a file system may leave it
    another_boot(monkeypatch, tmp_path)
    code, _, err = run(*arguments, "--out", str(out))
    assert code == 0, err
    assert "the machine went down: 3 samples" in err
    assert contents(out) == whole
    assert manifest(out)["runs"][-1]["samples"] == 3


@pytest.mark.parametrize("sync", ["each", "never"])
def test_other_ways_write_the_same(arguments, run, tmp_path, sync):
    assert run(*arguments, "--out", str(tmp_path / "batch"))[0] == 0
    assert run(*arguments, "--out", str(tmp_path / sync), "--sync", sync)[0] == 0
    assert contents(tmp_path / sync) == contents(tmp_path / "batch")
    assert not list((tmp_path / sync / "api-audit-run").glob("kept-*"))
