"""Tables over small releases: what a column says is what a scan says, and a run that was stopped goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from packages.making import publish, serving, wheel_bytes
from repositories import git

from auditor.__main__ import main
from auditor.bisection import Asked, bisect
from auditor.errors import SpecError
from auditor.matrix import Column, fits, matrix, releases
from auditor.matrix.formats._words import verdict
from auditor.matrix.table import Table, clean_part, intervals, rows_of
from auditor.model import Finding, Span
from auditor.options import Options
from auditor.scan import scan

HISTORY = {
    "1.0": "def run(a, b=0): ...\ndef stop(): ...\n",
    "1.1": "def run(a, b=0): ...\ndef stop(): ...\nx = 1\n",
    "1.2": "def run(a): ...\ndef stop(): ...\n",
    "1.3rc1": "def run(): ...\n",
    "2.0": "def run(a): ...\n",
    "2.1": "def run(a, b=0): ...\n",
}
CONSUMER = "import acme\nimport acme.still\n\nacme.run(1, b=2)\nacme.stop()\n"


@pytest.fixture
def index(tmp_path: Path) -> str:
    folder = tmp_path / "index"
    for version, source in HISTORY.items():
        publish(folder, "acme", version, {"acme/__init__.py": source, "acme/still.py": "same = True\n"})
    for version, pin, source in (
        ("0.1", "acme==1.0", CONSUMER),
        ("0.2", "acme==1.2", "import acme\n\nacme.run(1)\nacme.stop()\n"),
        ("0.3", "acme==2.0", "import acme\n\nacme.run(1)\n"),
        ("0.4", "other", "import acme\n"),
    ):
        publish(folder, "shop", version, {"shop/__init__.py": source}, pin)
    return str(folder)


@pytest.fixture
def options(tmp_path: Path, index: str) -> Options:
    consumer = tmp_path / "app"
    consumer.mkdir()
    (consumer / "main.py").write_text(CONSUMER, encoding="utf-8")
    return Options(
        consumers=(str(consumer),),
        against=("acme>=1.0",),
        from_=("acme==1.0",),
        index_url=index,
        cache_dir=tmp_path / "cache",
    )


def history(table, rule: str) -> str:
    return ", ".join(map(str, next(row for row in table.rows if row.rule == rule).intervals))


def test_each_finding_has_its_intervals_and_first_release(options):
    table = matrix(options)
    assert [column.release for column in table.columns] == ["1.0", "1.1", "1.2", "2.0", "2.1"]
    assert history(table, "unknown-argument") == "1.0-1.1 fine, 1.2-2.0 broken, 2.1- fine"
    assert history(table, "unresolved-attribute") == "1.0-1.2 fine, 2.0- broken"
    assert [row.first for row in table.rows] == ["1.2", "2.0"]
    assert [part.span for part in table.clean] == ["1.0-1.1"]


def test_prereleases_count_only_when_asked_for(options):
    found = [column.release for column in matrix(options, releases.Range(prereleases=True)).columns]
    assert found == ["1.0", "1.1", "1.2", "1.3rc1", "2.0", "2.1"]


def test_a_column_is_what_a_scan_finds(options):
    for column in matrix(options).columns:
        report = scan(replace(options, against=(f"acme=={column.release}",)))
        assert [f.id for f in column.findings] == [f.id for f in report.findings], column.release


def test_unchanged_modules_are_parsed_once(options):
    stats = matrix(options).stats
    assert stats["modules_parsed"] == stats["modules_different"]
    assert stats["modules_needed"] > stats["modules_different"]


def test_it_goes_on_after_a_kill(options, monkeypatch):
    line = releases.Line
    done = []

    class Killed(line):
        def column(self, prepared):
            if len(done) == 3:
                raise KeyboardInterrupt
            done.append(prepared.spec)
            return super().column(prepared)

    monkeypatch.setattr(releases, "Line", Killed)
    with pytest.raises(KeyboardInterrupt):
        matrix(options)
    monkeypatch.setattr(releases, "Line", line)
    table = matrix(options)
    assert [column.kept for column in table.columns] == [True, True, True, False, False]
    assert all(column.kept for column in matrix(options).columns)


def test_what_was_kept_is_not_believed_when_the_consumer_changes(options):
    matrix(options)
    Path(options.consumers[0], "main.py").write_text("import acme\n\nacme.run(1)\n", encoding="utf-8")
    table = matrix(options)
    assert not any(column.kept for column in table.columns)
    assert all(column.clean for column in table.columns)


def test_a_declared_range_chooses_the_old_side_as_a_scan_does(options, index):
    table = matrix(replace(options, consumers=("shop==0.2",), from_=()))
    assert {column.old for column in table.columns} == {"1.2"}
    assert table.columns[0].reason == "declared by the consumer: acme==1.2"


def test_a_given_release_of_another_provider_is_not_the_old_side(options):
    table = matrix(replace(options, from_=("shop==0.1", "acme==1.0")))
    assert {column.old for column in table.columns} == {"1.0"}


def test_the_release_that_was_current_is_compared_with_itself(options, monkeypatch):
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
    files = {"shop/__init__.py": "import acme\n\nacme.stop()\n"}
    with serving() as site:
        for month, version in enumerate(("1.0", "1.1", "2.0"), 1):
            body = wheel_bytes("acme", version, {"acme/__init__.py": HISTORY[version]})
            site.publish(f"acme-{version}-py3-none-any.whl", body, **{"upload-time": f"2025-0{month}-01T00:00:00Z"})
        body = wheel_bytes("shop", "1", files, lines=("Requires-Dist: acme",))
        site.publish("shop-1-py3-none-any.whl", body, **{"upload-time": "2025-02-15T00:00:00Z"})
        table = matrix(replace(options, consumers=("shop",), from_=(), index_url=f"{site.url}/simple"))
    assert [(c.release, c.old, c.clean) for c in table.columns] == [
        ("1.0", "1.1", True),
        ("1.1", "1.1", True),
        ("2.0", "1.1", False),
    ]
    assert table.columns[1].reason == "1.1 was current when shop was published"


def test_a_release_that_cannot_be_read_is_a_column(options, index, tmp_path):
    (Path(index) / "acme" / "acme-2.0-py3-none-any.whl").write_bytes(b"no zip")
    table = matrix(options)
    assert [column.release for column in table.failed] == ["2.0"]
    assert history(table, "unknown-argument") == "1.0-1.1 fine, 1.2 broken, 2.0 unknown, 2.1- fine"


def test_folders_are_releases_too(options, tmp_path):
    specs = []
    for version in ("1.0", "2.0"):
        folder = tmp_path / f"v{version}"
        (folder / "acme").mkdir(parents=True)
        (folder / "acme" / "__init__.py").write_text(HISTORY[version], encoding="utf-8")
        specs.append(f"acme @ {folder}")
    table = matrix(replace(options, from_=(specs[0],), against=tuple(specs)))
    assert [column.release for column in table.columns] == ["v1.0", "v2.0"]
    assert {row.first for row in table.rows} == {"v2.0"}


def test_two_providers_make_no_table(options):
    with pytest.raises(SpecError, match="one provider"):
        matrix(replace(options, against=("acme==1.0", "shop==0.1")))


def test_the_version_that_fits_best_is_named(options):
    found = fits(replace(options, consumers=("shop>=0.1",), against=("acme==2.0",), from_=()))
    assert [(fit.version, fit.errors) for fit in found.versions[:3]] == [("0.1", 2), ("0.2", 1), ("0.3", 0)]
    assert "does not say which acme" in found.versions[3].failure
    assert found.best == "0.3"


def finding(rule: str, **fields: object) -> Finding:
    place = {"provider": "acme", "symbol": "acme.run", "span": Span("a.py", 1, 1, 1, 2), "message": "", **fields}
    return Finding(rule=rule, severity="error", confidence="high", id=f"{rule}{fields}", **place)


def test_a_row_that_another_takes_over_is_not_fine():
    columns = [
        Column(release="1"),
        Column(release="2", findings=(finding("missing-argument", argument="x"),)),
        Column(release="3", findings=(finding("migration", argument="x"),)),
        Column(release="4", findings=(finding("unresolved-import"),)),
    ]
    rows = {row.rule: row for row in rows_of(columns)}
    assert rows["missing-argument"].states == ("fine", "broken", "elsewhere", "elsewhere")
    assert rows["migration"].states == ("fine", "elsewhere", "broken", "elsewhere")
    assert {rule: row.first for rule, row in rows.items()} == {
        "missing-argument": "2",
        "migration": "2",  # the same drift, told by another rule from there on
        "unresolved-import": "4",
    }


def test_accepted_findings_break_nothing():
    column = Column(release="1", findings=(finding("x", state="suppressed"),))
    assert rows_of([column]) == ()
    assert clean_part([column, Column(release="2", failure="gone")])[0].span == "1"


def test_the_last_interval_is_open():
    assert [str(part) for part in intervals(["1", "2", "3"], ["fine", "broken", "broken"])] == ["1 fine", "2- broken"]


def test_the_clean_part_in_words():
    broken = Column(release="2", findings=(finding("x"),))
    columns = (Column(release="1"), broken, Column(release="3"), Column(release="4"))
    told = Table(
        consumer="app", version=None, provider="acme", columns=columns, rows=rows_of(columns), clean=clean_part(columns)
    )
    assert verdict(told) == "Clean in 1, 3 and later."


FLAGS = ("--from", "acme==1.0", "--against", "acme>=1.0", "--isolated")


@pytest.mark.parametrize("form", ["full", "json", "markdown", "html"])
def test_every_format_tells_it(options, index, form, capsys):
    arguments = [options.consumers[0], *FLAGS, "--index-url", index, "--cache-dir", str(options.cache_dir)]
    assert main(["matrix", *arguments, "--output-format", form]) == 1
    out, err = capsys.readouterr()
    assert "unknown-argument" in out.replace("\\-", "-")
    assert "of them unchanged between releases" in err
    if form == "json":
        document = json.loads(out)
        assert document["schema"] == 1
        assert document["clean"] == [{"first": "1.0", "last": "1.1", "state": "fine"}]
        assert document["findings"][0]["states"]["1.2"] == "broken"


def test_it_says_how_to_find_a_version_that_fits(options, index, capsys):
    shared = ["--against", "acme>=1.0", "--index-url", index, "--isolated", "--cache-dir", str(options.cache_dir)]
    hint = "api-audit matrix shop --consumers --against acme==2.1"
    for quiet, consumer, hinted in (("-q", "shop==0.1", True), ("-qq", "shop==0.1", False), ("-q", "shop==0.3", False)):
        main(["matrix", consumer, *shared, quiet])
        assert (hint in capsys.readouterr().err) == hinted
    main(["matrix", options.consumers[0], *FLAGS, *shared[2:]])
    assert "--consumers" not in capsys.readouterr().err
    main(["matrix", *hint.split()[2:], *shared[2:], "-q"])
    assert "shop 0.3 fits acme 2.1 best" in capsys.readouterr().out


def test_neighbours_alike_share_a_line(options, index, capsys):
    arguments = ["matrix", options.consumers[0], *FLAGS, "--index-url", index, "--cache-dir", str(options.cache_dir)]
    main([*arguments, "-q"])
    lines = capsys.readouterr().out.splitlines()
    assert "1.0-1.1       0         0      0  clean" in lines
    assert lines[1] == "Compared with 1.0 (--from)."
    main([*arguments, "-qv"])
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["1.1", "0", "0", "0", "clean"] in told


@pytest.mark.parametrize("form", ["full", "json", "markdown", "html"])
def test_every_format_tells_versions(options, index, form, capsys):
    arguments = ["shop>=0.1", "--against", "acme==2.0", "--index-url", index, "--isolated", "-q"]
    assert main(["matrix", *arguments, "--cache-dir", str(options.cache_dir), "--output-format", form]) == 0
    assert "0.3" in capsys.readouterr().out.replace("\\.", ".")


def test_exit_codes(options, index, capsys):
    shared = [options.consumers[0], "--from", "acme==1.0", "--index-url", index, "--isolated", "-q"]
    shared += ["--cache-dir", str(options.cache_dir)]
    assert main(["matrix", *shared, "--against", "acme<1.2"]) == 0
    assert main(["matrix", *shared, "--against", "acme"]) == 1
    assert main(["matrix", *shared, "--against", "acme", "-e"]) == 0
    assert main(["matrix", *shared, "--against", "acme>9"]) == 2
    assert main(["matrix", *shared]) == 2
    capsys.readouterr()


def test_bisect_names_the_release(options):
    found = bisect(options, Asked(provider="acme", start="1.0", end="2.0"))
    first = {origin.finding.rule: (origin.last_fine, origin.first) for origin in found.origins}
    assert first == {"unknown-argument": ("1.1", "1.2"), "unresolved-attribute": ("1.2", "2.0")}
    only = bisect(options, Asked(provider="acme", start="1.0", end="2.0", finding=found.origins[0].finding.id[:6]))
    assert [origin.finding.id for origin in only.origins] == [found.origins[0].finding.id]
    with pytest.raises(SpecError, match="no finding"):
        bisect(options, Asked(provider="acme", start="1.0", end="2.0", finding="zzz"))


def test_bisect_names_the_commit(options, tmp_path, capsys):
    folder = tmp_path / "checkout"
    (folder / "acme").mkdir(parents=True)
    git(tmp_path, "init", "-q", str(folder))
    (folder / "pyproject.toml").write_text('[project]\nname = "acme"\nversion = "1"\n', encoding="utf-8")
    for number, version in enumerate(["1.0", "1.1", "1.2", "2.0"]):
        (folder / "acme" / "__init__.py").write_text(HISTORY[version], encoding="utf-8")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", f"change {number}")
        git(folder, "tag", f"v{version}")
    (folder / "notes.txt").write_text("no Python", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "notes")
    asked = Asked(provider=str(folder), start="v1.0", end="HEAD")
    found = bisect(options, asked)
    assert found.steps == 4
    titles = {origin.finding.rule: origin.title.split(" ", 1)[1] for origin in found.origins}
    assert titles == {"unknown-argument": "change 2", "unresolved-attribute": "change 3"}
    tagged = bisect(options, Asked(provider=str(folder), start="v1.0", end="v2.0", tags=True))
    assert [origin.first for origin in tagged.origins] == ["v1.2", "v2.0"]
    arguments = [options.consumers[0], "--provider", str(folder), "--from", "v1.0", "--to", "HEAD", "--isolated"]
    assert main(["bisect", *arguments, "--cache-dir", str(options.cache_dir)]) == 1
    out = capsys.readouterr().out
    assert " change 2 (" in out
    assert out.index("unknown-argument") < out.index(" change 3 (") < out.index("unresolved-attribute")
    assert out.startswith("app: acme v1.0 -> HEAD\n")
    assert main(["bisect", *arguments, "--json", "-q", "--cache-dir", str(options.cache_dir)]) == 1
    assert len(json.loads(capsys.readouterr().out)["origins"]) == 2
    with pytest.raises(SpecError, match="git knows no commit"):
        bisect(options, Asked(provider=str(folder), start="v9", end="HEAD"))
    for tags in (False, True):
        with pytest.raises(SpecError, match="is no earlier than"):
            bisect(options, Asked(provider=str(folder), start="HEAD", end="v1.0", tags=tags))


def test_bisect_tells_notes_when_asked(options, tmp_path, index, capsys):
    consumer = Path(options.consumers[0], "main.py")
    consumer.write_text("import quiet\n\nquiet.run(1)\n", encoding="utf-8")
    for version, default in (("1.0", 0), ("2.0", 1)):
        publish(Path(index), "quiet", version, {"quiet/__init__.py": f"def run(a, b={default}): ...\n"})
    arguments = [options.consumers[0], "--provider", "quiet", "--from", "1.0", "--to", "2.0", "--index-url", index]
    arguments += ["--isolated", "-q", "--cache-dir", str(options.cache_dir)]
    assert main(["bisect", *arguments]) == 0
    out = capsys.readouterr().out
    assert "1 note not shown; -v shows them" in out
    assert "default-changed" not in out
    assert main(["bisect", *arguments, "-v"]) == 0
    assert "2.0 (1.0 was fine)\n    info[default-changed]" in capsys.readouterr().out


@pytest.mark.index
def test_speculators_over_published_releases(tmp_path):
    asked = Options(consumers=("speculators==0.3.0",), against=("vllm>=0.11.2,<0.12.1", "vllm>=0.16,<0.17.1"))
    table = matrix(asked)
    first = {row.argument: row.first for row in table.rows if row.severity == "error"}
    assert first["is_encoder_decoder"] == "0.12.0", first
    assert first["eos_token_id"] == "0.17.0", first
