"""Rule files: strict, with a breadcrumb; loaded for the packages concerned only, and kept in the store by content."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import pytest

from auditor import fixes
from auditor.errors import RuleError
from auditor.packages.store import Store
from auditor.rulepack import built_in_rules, load_packs, read_fields, read_rule, schema_text
from auditor.rulepack.repairs import RepairSpec
from auditor.rulepack.templates import UnboundError, render

PACKAGE = Path(__file__).parent.parent / "auditor"
BUILT_IN = sorted(file for file in built_in_rules().rglob("*.yaml") if file.parent.name != "core")
GOOD = """
summary: f is gone.
message: "`{{ callee }}` is gone"
match: {call: lib.f}
fix:
  applicability: safe
  safety: The two are the same function.
  repairs:
    - replace-expression: {text: "g({{ args.x }})"}
"""


def reading(text: str, name: str = "some-rule"):
    return read_rule(Path(f"rules/lib/{name}.yaml"), text.encode())


def test_a_good_rule():
    rule = reading(GOOD)
    assert rule.match.call == "lib.f"
    assert rule.severity == "error"
    assert rule.fix.repairs[0].chosen()[0] == "replace-expression"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("match: {call: lib.f}", "match: {call: 3}", "match.call: expected `str | array`, got `int`"),
        ("match: {call: lib.f}", "match: {cal: lib.f}", "match: unknown key `cal`"),
        ("match: {call: lib.f}", "match: {call: lib.f, attribute: lib.g}", "match: has exactly one of"),
        ("match: {call: lib.f}", "", "a rule has either `match` or `dispatch`"),
        ("match: {call: lib.f}", "match: {call: lib.f, with: {x: {matches: '('}}}", "match.with.x.matches:"),
        ("match: {call: lib.f}", "match: {call: lib.f, beside: {args: {name: y}}}", "match.beside.args:"),
        ("match: {call: lib.f}", "match: {call: lib.f, absent: [{inside: class}]}", "match.absent[0]: has exactly"),
        ("match: {call: lib.f}", "match: {call: lib.f, at: elsewhere}", "match.at: is one of"),
        ("  safety: The two are the same function.\n", "", "fix: `safety` is missing"),
        ("  safety: The two are the same function.\n", "  safety: fine\n", "fix.safety: is a sentence"),
        ("safe\n", "harmless\n", "fix.applicability: invalid enum value 'harmless'"),
        ("replace-expression: {text:", "replace-expresion: {text:", "fix.repairs[0]: unknown key `replace-expresion`"),
        ("{text: ", "{txt: ", "fix.repairs[0].replace-expression: "),
        ("{{ args.x }}", "{{ args.x", "fix.repairs[0].replace-expression.text:"),
        ("`{{ callee }}`", "{% if %}", "message:"),
        ("summary:", "versions: newer\nsummary:", "versions: Invalid specifier"),
        ("summary:", "evidence: {new: [{exists: a, missing: b}]}\nsummary:", "evidence.new[0]: an item of evidence"),
        ("summary:", "evidence: {newer: []}\nsummary:", "evidence: unknown key `newer`"),
        ("summary:", "unfixed: no\nsummary:", "a rule has either `fix`, or `unfixed`"),
        ("summary:", "summary: twice\nsummary:", "the rule cannot be read:"),
        ("summary: f is gone.", "", "`summary` is missing"),
    ],
)
def test_a_bad_rule_names_its_file_and_the_place_inside(before, after, said):
    assert before in GOOD
    with pytest.raises(RuleError) as error:
        reading(GOOD.replace(before, after, 1))
    assert str(error.value).startswith("rules/lib/some-rule.yaml: ")
    assert said in str(error.value)


def test_a_file_that_is_no_mapping():
    with pytest.raises(RuleError, match="a rule is a mapping"):
        reading("- 1")


def test_a_name_that_is_no_id():
    with pytest.raises(RuleError, match="kebab case"):
        reading(GOOD, "Some_Rule")


def test_a_template_stays_in_its_sandbox():
    with pytest.raises(UnboundError):
        render("{{ ''.__class__.__mro__[1].__subclasses__() }}", {})
    with pytest.raises(UnboundError):
        render("{{ unbound }}", {})
    assert render("{{ a }}.b", {"a": "x"}) == "x.b"


def test_only_what_is_wanted_is_read(tmp_path):
    for provider, text in {"lib": GOOD, "other": "broken: ["}.items():
        (tmp_path / provider).mkdir()
        (tmp_path / provider / "a-rule.yaml").write_text(text, encoding="utf-8")
    packs = load_packs([tmp_path], lambda provider: provider == "lib")
    assert [(pack.id, pack.provider) for pack in packs] == [("a-rule", "lib")]
    with pytest.raises(RuleError):
        load_packs([tmp_path], lambda provider: provider == "other")


def test_a_later_folder_replaces_a_rule(tmp_path):
    folders = [tmp_path / "one", tmp_path / "two"]
    for number, folder in enumerate(folders):
        (folder / "lib").mkdir(parents=True)
        (folder / "lib" / "a-rule.yaml").write_text(GOOD.replace("f is gone", f"number {number}"), encoding="utf-8")
    (pack,) = load_packs(folders, lambda provider: provider == "lib")
    assert pack.rule.summary == "number 1."


def test_a_missing_folder():
    with pytest.raises(RuleError, match="no such folder"):
        load_packs([Path("nowhere")], lambda _: True)


def test_a_known_pack_comes_out_of_the_store(tmp_path):
    (tmp_path / "rules" / "lib").mkdir(parents=True)
    file = tmp_path / "rules" / "lib" / "a-rule.yaml"
    file.write_text(GOOD, encoding="utf-8")
    with Store.open(tmp_path / "cache") as store:
        first = load_packs([tmp_path / "rules"], lambda provider: provider == "lib", store)
    code = (
        "import sys; from pathlib import Path; from auditor.packages.store import Store\n"
        "from auditor.rulepack import load_packs\n"
        f"with Store.open(Path({str(tmp_path / 'cache')!r})) as store:\n"
        f"    packs = load_packs([Path({str(tmp_path / 'rules')!r})], lambda p: p == 'lib', store)\n"
        "print(packs[0].rule.summary, 'ruamel' in ' '.join(sys.modules), 'jinja2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [*first[0].rule.summary.split(), "False", "False"]
    file.write_text(GOOD.replace("f is gone", "changed"), encoding="utf-8")
    with Store.open(tmp_path / "cache") as store:
        (again,) = load_packs([tmp_path / "rules"], lambda provider: provider == "lib", store)
    assert again.rule.summary == "changed."


def test_the_published_schema_is_this_one():
    assert (PACKAGE / "schemas" / "rule.schema.json").read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("file", BUILT_IN, ids=lambda file: file.stem)
def test_every_built_in_rule_fits(file):
    data = file.read_bytes()
    read_rule(file, data)
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(read_fields(file, data))


def test_what_rules_may_ask_for_are_the_repairs_there_are():
    for field in msgspec.structs.fields(RepairSpec):
        (spec,) = (t for t in field.type.__args__ if t is not type(None))
        fixer = fixes.load(field.encode_name)
        asked = set(spec.__struct_fields__) - {"at", "when", "once", "symbol"}
        assert asked <= set(fixer.options.__struct_fields__) | {"name"}, field.name
