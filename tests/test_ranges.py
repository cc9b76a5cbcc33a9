"""Which releases a declared range is audited with, and what becomes of several audits of one consumer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from auditor.__main__ import main
from auditor.claims import requirements
from auditor.consumer.source import Sources
from auditor.errors import OfflineError, SpecError
from auditor.model import ConsumerInfo, Finding, Problem, ProviderInfo, Report, Span
from auditor.options import Options
from auditor.ranges import Target
from auditor.ranges import ends as ranges

PUBLISHED = ("0.9", "1.0", "1.1", "1.2", "2.0")


def sources(*requires: str, code: bytes = b"import lib\n") -> Sources:
    return Sources("app", "1", "here", {"app": "app.py"}, lambda paths: dict.fromkeys(paths, code), requires)


@pytest.fixture
def index(monkeypatch):
    from packaging.specifiers import SpecifierSet
    from packaging.utils import canonicalize_name

    def find(spec, *, index):
        name = canonicalize_name(spec.split("<")[0].split(">")[0].split("=")[0].split("~")[0])
        allowed = SpecifierSet(spec[len(name) :])
        return tuple(v for v in PUBLISHED if v in allowed)

    monkeypatch.setattr(ranges, "find_versions", find)
    monkeypatch.setattr("auditor.claims.find_versions", find)


@pytest.mark.parametrize(
    ("requirement", "targets"),
    [
        ("lib>=1.0,<2", ["lib 2.0 (latest)", "lib 1.2 (highest declared)", "lib 1.0 (lowest declared)"]),
        ("lib<2", ["lib 2.0 (latest)", "lib 1.2 (highest declared)"]),
        ("lib>=1.0", ["lib 2.0 (latest, highest declared)", "lib 1.0 (lowest declared)"]),
        ("lib==1.1", ["lib 2.0 (latest)"]),
        ("lib==2.0", []),
        ("lib==1.1; extra == 'fast'", ["lib 2.0 (latest)"]),
    ],
)
def test_the_ends_of_a_range_and_the_latest_release(index, requirement, targets):
    assert [str(t) for t in ranges._targets(sources(requirement), "lib", None)] == targets


def test_what_is_not_a_requirement_and_the_project_itself_are_left_out():
    found = requirements(["lib>=1", "app[fast]; extra == 'all'", "this is not one", "Lib<2"], "App")
    assert list(found) == ["lib"]
    assert len(found["lib"]) == 2


@pytest.mark.parametrize(
    ("requirement", "code"),
    [
        ("lib<2", b"import lib"),
        ("lib<2", b"    from lib.x import y"),
        ("lib~=1.0", b"import lib"),
    ],
)
def test_what_is_imported_and_has_an_upper_bound_is_audited(monkeypatch, requirement, code):
    monkeypatch.setattr(ranges, "open_release", lambda *_, **__: SimpleNamespace(packages=("lib",)))
    consumer = sources(requirement, "other>=1", code=code)
    assert ranges.chosen_providers(consumer, Options(consumers=(), against=()), (), None, None) == ["lib"]


def report(new: str, *ids: str, problems=()) -> Report:
    return Report(
        ConsumerInfo("app", "1", "here", 1),
        (ProviderInfo("lib", ("lib",), "1.0", new, None, "", ""),),
        tuple(
            Finding("default-changed", "info", "high", "lib", "lib.f", Span("app.py", 1, 1, 1, 2), "gone", id=i)
            for i in ids
        ),
        problems,
        stats={"seconds": 1.0, "call_sites": 3},
    )


def test_a_finding_met_with_several_releases_is_told_once():
    problem = Problem("app.py", "odd")
    one = ranges.merge(
        [
            (Target("lib", "2.0", "latest"), report("2.0", "a", "b", problems=(problem,))),
            (Target("lib", "1.2", "highest declared"), report("1.2", "a", problems=(problem,))),
        ]
    )
    assert [f.id for f in one.findings] == ["a", "b"]
    assert one.findings[0].notes == ("with lib 2.0 (latest), lib 1.2 (highest declared)",)
    assert one.findings[1].notes == ("with lib 2.0 (latest)",)
    assert [p.new for p in one.providers] == ["2.0", "1.2"]
    assert one.problems == (problem,)
    assert one.stats == {"seconds": 2.0, "call_sites": 3, "traffic_bytes": 0, "requests": 0, "modules_parsed": 0}


@pytest.fixture
def quiet(monkeypatch, tmp_path, index):
    monkeypatch.setattr(ranges, "open_consumer", lambda *_: sources("lib>=1.0,<2"))
    return Options(consumers=("app",), against=(), cache_dir=tmp_path, patch_dir=tmp_path)


def test_each_end_is_one_audit_and_patches_are_for_the_latest(quiet, monkeypatch):
    asked = []
    monkeypatch.setattr(ranges, "scan", lambda options: asked.append(options) or report("2.0"))
    ranges.scan_declared(quiet, ["Lib"])
    assert [o.against for o in asked] == [("lib==2.0",), ("lib==1.2",), ("lib==1.0",)]
    assert [o.patch_dir is not None for o in asked] == [True, False, False]


def test_an_end_that_cannot_be_audited_is_a_problem(quiet, monkeypatch):
    def scan(options):
        if options.against == ("lib==1.0",):
            raise SpecError("no sources")
        return report("2.0")

    monkeypatch.setattr(ranges, "scan", scan)
    (problem,) = ranges.scan_declared(quiet, ["lib"]).problems
    assert problem.path == "lib 1.0 (lowest declared)"


@pytest.mark.parametrize(
    ("requires", "said"),
    [
        ((), "app states no dependencies"),
        (("lib>=1", "a", "b", "c"), r"app gives no dependency an upper bound \(lib, a, b, \.\.\.\)"),
        (("lib<2",), r"app imports none of the dependencies that it gives an upper bound \(lib\)"),
    ],
)
def test_nothing_to_audit_is_a_failure_that_says_why(quiet, monkeypatch, requires, said):
    monkeypatch.setattr(ranges, "open_consumer", lambda *_: sources(*requires, code=b"import library"))
    monkeypatch.setattr(ranges, "open_release", lambda *_, **__: SimpleNamespace(packages=("lib",)))
    with pytest.raises(SpecError, match=said) as raised:
        ranges.scan_declared(quiet)
    assert "--against NAME==VERSION" in str(raised.value.hint)


def test_a_pin_of_the_latest_release_leaves_nothing_to_audit(quiet, monkeypatch):
    monkeypatch.setattr(ranges, "open_consumer", lambda *_: sources("lib==2.0"))
    with pytest.raises(SpecError, match="app pins the latest release of lib"):
        ranges.scan_declared(quiet, ["lib"])


def test_what_cannot_be_had_is_not_called_undeclared(quiet, monkeypatch):
    def open_release(*_, **__):
        raise OfflineError("the store lacks it")

    monkeypatch.setattr(ranges, "open_release", open_release)
    with pytest.raises(OfflineError, match="the store lacks it"):
        ranges.scan_declared(quiet)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", "declared", "--against", "lib"], "stands alone"),
        (["--against", "lib", "--provider", "lib"], "--provider names a dependency"),
    ],
)
def test_declared_ranges_and_named_releases_do_not_mix(arguments, message):
    from click.testing import CliRunner

    from auditor.cli.commands.scan import command

    result = CliRunner().invoke(command, [".", "--isolated", *arguments])
    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    ("against", "advised"), [("lib>=1,<2", "--against lib==VERSION"), ("declared", "--against NAME==VERSION")]
)
def test_a_second_opinion_is_about_one_release(tmp_path, capsys, against, advised):
    assert main(["scan", str(tmp_path), "--isolated", "--second-opinion", "ty", "--against", against]) == 2
    assert advised in capsys.readouterr().err
