"""The engine of rules: evidence, what matches and what only looks alike, metavariables, fixes, and what is replaced."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from msgspec import structs

from auditor.__main__ import main
from auditor.codemod import rewrite
from auditor.model import ByName
from auditor.options import Selection
from auditor.scan import Options, scan

OLD = """
class Base:
    def step(self, x, mode=None):
        return x

    def finish(self):
        pass


class Engine(Base):
    def run(self, x, fast=False):
        return [x]


class Config:
    def __init__(self, size=1, caching=None, extra=0):
        self.size = size


def old_name(x):
    return x
"""
NEW = """
class Base:
    def step(self, x, mode=None):
        if mode is None:
            return None
        raise RuntimeError("State error: finish() must be called first")

    def finish(self):
        pass

    def begin(self):
        pass


class Engine(Base):
    def run(self, x, fast=False, hasher=None) -> "list | int":
        return [x]


class Config:
    def __init__(self, size=1, caching=True, extra=9):
        self.size = size


def new_name(x):
    return x
"""
HEAD = """
summary: A rule for a test.
message: said of `{{ text }}`
severity: warning
"""


class Bench:
    """A consumer between two releases of a small provider, with one rule."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for side, text in (("old", OLD), ("new", NEW)):
            (folder / side / "lib").mkdir(parents=True)
            (folder / side / "lib" / "__init__.py").write_text(text, encoding="utf-8")
        (folder / "rules" / "lib").mkdir(parents=True)
        (folder / "app").mkdir()

    def scan(self, rule: str, code: str, old: str = "old"):
        rule = HEAD + textwrap.dedent(rule)
        if "fix:" not in rule and "dispatch:" not in rule:
            rule += "unfixed: not in this test\n"
        (self.folder / "rules" / "lib" / "the-rule.yaml").write_text(rule, encoding="utf-8")
        (self.folder / "app" / "app.py").write_text(textwrap.dedent(code).lstrip("\n"), encoding="utf-8")
        return scan(self.options(old))

    def options(self, old: str = "old") -> Options:
        return Options(
            consumers=(str(self.folder / "app"),),
            from_=(f"lib @ {self.folder / old}",),
            against=(f"lib @ {self.folder / 'new'}",),
            rules=(self.folder / "rules",),
            cache_dir=self.folder / "cache",
            patch_dir=self.folder / "patches",
            offline=True,
        )

    def found(self, rule: str, code: str, old: str = "old"):
        return [f for f in self.scan(rule, code, old).findings if f.rule == "the-rule"]

    def lines(self, rule: str, code: str, old: str = "old") -> list[int]:
        return [f.span.line for f in self.found(rule, code, old)]

    def patched(self, rule: str, code: str) -> list[str]:
        report = self.scan(rule, code)
        diff = [
            line for p in report.patches if p.rule == "the-rule" for file in p.files for line in file.diff.splitlines()
        ]
        return [line for line in diff if line[:1] in "+-" and line[:3] not in ("+++", "---")]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def scanned_without_patches(bench: Bench):
    options = bench.options()
    (found,) = (f for f in scan(structs.replace(options, patch_dir=None)).findings if f.rule == "the-rule")
    return found


CALL = """
import lib

lib.Engine().run(1)
"""


@pytest.mark.parametrize(
    ("evidence", "holds"),
    [
        ("{new: [{exists: lib.new_name}]}", True),
        ("{new: [{exists: lib.Base.begin}]}", True),
        ("{new: [{exists: lib.old_name}]}", False),
        ("{new: [{missing: lib.old_name}]}", True),
        ("{new: [{missing: lib.Engine.finish}]}", False),
        ("{old: [{missing: lib.new_name}]}", True),
        ("{new: [{module: lib}]}", False),  # true of the old side, too: no drift
        ("{new: [{module: lib}, {exists: lib.new_name}]}", True),
        ("{new: [{module: lib.part}]}", False),
        ("{new: [{not: {module: lib.part}}, {exists: lib.new_name}]}", True),
        ("{new: [{parameter: {of: lib.Engine.run, name: hasher}}]}", True),
        ("{old: [{parameter: {of: lib.Engine.run, name: hasher}}]}", False),
        ("{old: [{not: {parameter: {of: lib.Engine.run, name: hasher}}}]}", True),
        ("{new: [{parameter: {of: lib.Config, name: caching}}, {exists: lib.new_name}]}", True),
        ("{new: [{member: {of: lib.Engine, name: begin}}]}", True),
        ("{old: [{not: {member: {of: lib.Engine, name: begin}}}]}", True),
        ("{new: [{default: {of: lib.Config, name: caching, equals: true}}]}", True),
        ("{new: [{default: {of: lib.Config, name: caching, differs: None}}]}", True),
        ("{old: [{default: {of: lib.Config, name: caching, equals: None}}]}", True),
        ("{new: [{raises: {of: lib.Base.step, contains: finish() must be called}}]}", True),
        ("{old: [{raises: {of: lib.Base.step, contains: finish() must be called}}]}", False),
        ("{new: [{returns: {of: lib.Engine.run, contains: int}}]}", True),
        ("{new: [{any-of: [{exists: lib.nothing}, {exists: lib.new_name}]}]}", True),
        ("{new: [{any-of: [{exists: lib.nothing}]}]}", False),
        ("{new: [{parameter: {of: lib.nothing, name: x}}]}", False),
        ("{new: [{not: {parameter: {of: lib.nothing, name: x}}}]}", False),  # unknown is no evidence either way
        ("{new: [{exists: numpy.trapz}]}", False),
        ("{new: [{missing: numpy.trapz}]}", False),
        ("{new: [{is-async: lib.new_name}]}", False),
        ("{new: [{not: {is-async: lib.new_name}}]}", True),
    ],
)
def test_evidence(bench, evidence, holds):
    assert bool(bench.lines(f"evidence: {evidence}\nmatch: {{call: lib.Engine.run}}\n", CALL)) is holds


def test_the_same_release_on_both_sides_is_silent(bench):
    assert bench.lines("match: {call: lib.Engine.run}\n", CALL, old="new") == []
    assert bench.lines("match: {call: lib.Engine.run}\n", CALL) == [3]


@pytest.mark.parametrize(
    ("match", "lines"),
    [
        ("{call: lib.Base.step}", [6, 7, 8, 9, 20]),  # through the subclass, by alias, and in a consumer's own subclass
        ("{call: lib.Engine.step, with: {mode: }}", [7, 8]),
        ("{call: lib.Engine.step, with: {mode: '\"a\"'}}", [7]),
        ("{call: lib.Engine.step, with: {mode: {differs: '\"a\"'}}}", [8]),
        ("{call: lib.Engine.step, with: {x: {matches: '[0-9]'}}}", [6, 7, 8]),
        ("{call: lib.Engine.step, without: [mode]}", [6, 9, 20]),
        ("{call: lib.Engine.step, result: [assign]}", [6]),
        ("{call: lib.Engine.step, result: [{how: subscript, detail: '0'}]}", [8]),
        ("{call: lib.Engine.step, result: [discard, return]}", [7, 20]),
        ("{call: lib.Engine.finish, untyped: true}", [13]),
        ("{call: lib.Engine.finish}", []),
        ("{call: '*.finish'}", [13]),
        ("{attribute: lib.Engine.step}", [6, 7, 8, 9, 14, 20]),
        ("{subclass: lib.Base}", [17]),
        ("{subclass: lib.Base, lacking: [begin]}", [17]),
        ("{subclass: lib.Base, lacking: [act]}", []),
        ("{import: lib.Engine}", [1]),
    ],
)
def test_matches(bench, match, lines):
    code = """
    from lib import Engine as E


    def use(made, anything):
        engine = E()
        a = engine.step(1)
        engine.step(2, mode="a")
        engine.step(3, "b")[0]
        print(a, engine.step(a))


    def other(thing):
        thing.finish()
        return E.step


    class Mine(E):
        def act(self):
            self.nothing = 1
            return self.step(self)
    """
    assert bench.lines(f"match: {match}\n", code) == lines


@pytest.mark.parametrize(
    ("context", "lines"),
    [
        ("absent: [{name: finish}]", [12]),
        ("absent: [{name: finish, order: after}]", [12, 18]),
        ("absent: [{name: finish, order: before}]", [7, 12]),
        ("absent: [{name: finish, inside: module}]", []),
        ("absent: [{call: lib.Base.finish, same-receiver: true}]", [7, 12, 18]),
        ("absent: [{name: finish, inside: loop}]", [7, 12]),
        ("beside: {other: {call: lib.Base.finish, inside: function}}", []),
        ("beside: {other: {text: '{{ receiver }}.finish'}}", [7]),
    ],
)
def test_what_stands_nearby(bench, context, lines):
    code = """
    from lib import Engine


    def first(engine: Engine, other):
        while True:
            other.begin()
            engine.run(1)
            break
        engine.finish

    def second(engine: Engine):
        engine.run(1)


    def third(engine: Engine, other):
        other.finish()

        engine.run(1)
    """
    assert bench.lines(f"match: {{call: lib.Engine.run, {context}}}\n", code) == lines


def test_a_rule_takes_the_place_of_what_it_explains(bench):
    code = """
    import lib

    lib.Config(size=2)
    """
    report = bench.scan(
        "match: {call: lib.Config, without: [caching]}\nreplaces: [default-changed]\nargument: caching\n", code
    )
    told = [(f.rule, f.argument, f.severity) for f in report.findings]
    assert sorted(told) == [("default-changed", "extra", "info"), ("the-rule", "caching", "warning")]
    rest = next(f for f in report.findings if f.rule == "default-changed")
    assert rest.message == "omitted default of `Config` changed: `extra` 0 -> 9"


REPLACING = "match: {call: lib.Config, without: [caching]}\nreplaces: [default-changed]\n"


@pytest.mark.parametrize(
    ("selection", "told"),
    [
        (Selection(), ["the-rule"]),
        (Selection(ignore=("the-*",)), ["default-changed"]),
        (Selection(select=("default-changed",)), ["default-changed"]),
        (Selection(select=("the-rule", "default-changed")), ["the-rule"]),
        (Selection(per_file_ignores=(("app.py", ("the-rule",)),)), ["default-changed"]),
        (Selection(per_file_ignores=(("other.py", ("the-rule",)),)), ["the-rule"]),
    ],
)
def test_a_rule_that_is_not_wanted_takes_no_place(bench, selection, told):
    bench.scan(REPLACING, "import lib\n\nlib.Config(size=2)\n")
    report = scan(structs.replace(bench.options(), selection=selection))
    assert [f.rule for f in report.findings] == told


def test_select_and_ignore_reach_the_rules(bench, monkeypatch, capsys):
    bench.scan(REPLACING, "import lib\n\nlib.Config(size=2)\n")
    monkeypatch.chdir(bench.folder)
    words = ["app", "--from", "lib @ old", "--against", "lib @ new", "--rules", "rules", "--cache-dir", "cache"]
    for flags in (["--ignore", "the-rule"], ["--select", "default-changed"]):
        main(["scan", *words, "--no-patches", "--isolated", "--output-format", "concise", *flags])
        assert "default-changed" in capsys.readouterr().out


def test_without_replaces_both_are_told(bench):
    report = bench.scan("match: {call: lib.Config}\n", "import lib\n\nlib.Config()\n")
    assert sorted(f.rule for f in report.findings) == ["default-changed", "the-rule"]


def test_a_grade_weighs_what_stands_nearby(bench):
    rule = """
    match: {call: lib.Engine.run}
    grades:
      - {severity: info, when: {call: lib.Config, inside: module}, note: seen}
    """
    assert bench.found(rule, CALL)[0].severity == "warning"
    graded = bench.found(rule, f"{CALL}\nlib.Config()\n")[0]
    assert (graded.severity, graded.notes) == ("info", ("seen",))


def test_a_checkout_without_version_is_judged_by_evidence_alone(bench):
    assert bench.lines("versions: '<1'\nmatch: {call: lib.Engine.run}\n", CALL) == [3]


@pytest.mark.parametrize(("versions", "lines"), [("'>=2,<3'", [3]), ("'<2'", []), ("'>=2.0.1'", [])])
def test_a_version_range_may_narrow(bench, versions, lines):
    for side, version in (("old", "1.0"), ("new", "2.0")):
        (bench.folder / side / "pyproject.toml").write_text(f'[project]\nname = "lib"\nversion = "{version}"\n')
    assert bench.lines(f"versions: {versions}\nmatch: {{call: lib.Engine.run}}\n", CALL) == lines


FIXED = """
match:
  call: lib.Engine.run
  without: [hasher]
  beside: {{config: {{call: lib.Config, inside: class, with: {{size: }}, optional: true}}}}
fix:
  applicability: safe
  safety: Only a rule for a test.
  otherwise: no configuration here
  repairs:
    - {}
    - add-argument: {{name: hasher, value: self.hasher}}
"""
CLASS = """
from lib import Config, Engine


class Mine:
    def __init__(self, n):
        self.config = Config(size=n + 1)
        self.engine = Engine()

    def act(self, x):
        return self.engine.run(x)

    def again(self, x):
        return self.engine.run(x, fast=True)
"""


def test_an_attribute_is_assigned_once_and_reused(bench):
    repair = (
        'insert-statement: {at: config, where: after, once: self.hasher, text: "self.hasher = {{ config.args.size }}"}'
    )
    assert bench.patched(FIXED.format(repair), CLASS) == [
        "+        self.hasher = n + 1",
        "-        return self.engine.run(x)",
        "+        return self.engine.run(x, hasher=self.hasher)",
        "-        return self.engine.run(x, fast=True)",
        "+        return self.engine.run(x, fast=True, hasher=self.hasher)",
    ]
    has_it = CLASS.replace("Engine()", "Engine()\n        self.hasher = None")
    assert "+        self.hasher = n + 1" not in bench.patched(FIXED.format(repair), has_it)


def test_assign_attribute_at_the_end_of_init(bench):
    repair = 'assign-attribute: {name: hasher, value: "{{ config.target }}.size"}'
    assert "+        self.hasher = self.config.size" in bench.patched(FIXED.format(repair), CLASS)


def test_a_fix_that_lacks_a_metavariable_says_why(bench):
    repair = 'insert-statement: {text: "self.hasher = {{ config.args.size }}"}'
    found = bench.found(FIXED.format(repair), CLASS.replace("Config(size=n + 1)", "None"))
    assert [f.unfixed for f in found] == ["no configuration here"] * 2
    assert all(f.fix is None for f in found)


def test_an_import_by_symbol_is_looked_up(bench):
    part = bench.folder / "new" / "lib" / "deep.py"
    part.write_text("def moved_there(x):\n    return x\n", encoding="utf-8")
    repair = "add-import: {symbol: lib.moved_there}"
    assert "+from lib.deep import moved_there" in bench.patched(FIXED.format(repair), CLASS)
    missing = bench.found(FIXED.format("add-import: {symbol: lib.never_there}"), CLASS)
    assert "`never_there` was not found in lib" in missing[0].unfixed


@pytest.mark.parametrize(
    ("repairs", "before", "after"),
    [
        ('[{replace-expression: {text: "{{ receiver }}.act({{ args.x }})"}}]', "e.run(1)", "e.act(1)"),
        ("[{rename-argument: {name: fast, new_name: hasher}}]", "e.run(1, fast=a)", "e.run(1, hasher=a)"),
        ('[{remove-argument: {name: fast, when: "{{ args.fast }}"}}]', "e.run(1, True)", "e.run(1)"),
        (
            '[{replace-expression: {at: "argument:fast", text: "{{ negated(args.fast) }}"}}]',
            "e.run(1, fast=a or b)",
            "e.run(1, fast=not (a or b))",
        ),
        ('[{wrap-expression: {before: "list(", after: ")"}}]', "e.run(1)", "list(e.run(1))"),
        ("[{to-keyword: {name: fast}}]", "e.run(1, True)", "e.run(1, fast=True)"),
    ],
)
def test_repairs_over_metavariables(bench, repairs, before, after):
    rule = f"""
match: {{call: lib.Engine.run, absent: [{{name: act}}, {{name: list}}, {{text: done}}]}}
fix: {{applicability: unsafe, safety: Only a rule for a test., repairs: {repairs}}}
"""
    code = f"import lib\n\n\ndef go(e: lib.Engine, a, b):\n    return {before}\n"
    (found,) = bench.found(rule, code)
    # the fix as the rule states it: whether it may be written as a patch is for the proofs to say
    repairs = scanned_without_patches(bench).fix.repairs
    assert rewrite(code.encode(), repairs).decode() == code.replace(before, after)
    assert found.span.line == 5


def test_names_that_are_taken(bench):
    rule = """
    match: {call: lib.Engine.run, result: [discard]}
    fix:
      applicability: unsafe
      safety: Only a rule for a test.
      repairs:
        - assign-result: {name: "{{ fresh('reply') }}"}
    """
    code = """
    import lib


    def go(e: lib.Engine, reply):
        e.run(reply)
    """
    assert bench.patched(rule, code) == ["-    e.run(reply)", "+    reply_2 = e.run(reply)"]


def test_dispatch_by_name(bench):
    rule = """
    dispatch:
      call: lib.Engine.run
      parameter: x
      classes: [lib.Base]
    """
    code = """
    import lib


    def go(engine: lib.Engine):
        engine.run("step")
        engine.run("gone")
        engine.run("never")
    """
    old = bench.folder / "old" / "lib" / "__init__.py"
    old.write_text(OLD.replace("    def finish(self):", "    def gone(self):\n        pass\n\n    def finish(self):"))
    assert bench.lines(rule, code) == [6]


def test_a_rule_about_a_package_that_is_not_audited_counts_beside_one_that_is(bench):
    rule = "match: {call: other.call}\n"
    assert bench.lines(rule, "import other\n\nother.call()\n") == []
    assert bench.lines(rule, "import other\n\n\ndef f():\n    import lib\n\n    other.call(lib)\n") == [7]


def test_a_report_says_what_takes_methods_by_their_names(tmp_path):
    case = Path(__file__).parent / "cases" / "collective-rpc-method"
    options = Options(
        consumers=(str(case / "consumer"),),
        from_=(str(case / "provider_old"),),
        against=(str(case / "provider_new"),),
        cache_dir=tmp_path,
    )
    assert scan(options).by_name == (ByName(("collective_rpc",), "method", ("vllm.v1.worker.gpu_worker.Worker",)),)
