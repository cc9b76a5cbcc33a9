"""The README's commands and the examples: what they say is what the program does."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from ruamel.yaml import YAML

from auditor import config
from auditor.cli.app import program

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def parsed(words: list[str]) -> click.Context:
    """The arguments of an `api-audit` call, as the program reads them; unknown flags are an error."""
    with program.make_context("api-audit", list(words)) as context:
        name, command, rest = program.resolve_command(context, [*context._protected_args, *context.args])
        return command.make_context(name, rest, parent=context)


def yaml(path: Path):
    return YAML(typ="safe", pure=True).load(path)


def test_the_readme_opens_with_two_commands():
    first, second = BLOCKS[:2]
    before = README[: README.index("```sh")]
    assert before.startswith("# api-audit\n")
    assert "## " not in README[: README.index(second)]
    assert "api-audit scan speculators==0.3.0 --against vllm==0.16" in first
    assert "pytest" in second
    assert len(first.splitlines()) == len(second.splitlines()) == 1


def test_ci_runs_the_readmes_second_command():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    line = next(line for line in script.splitlines() if line.startswith("command="))
    found = subprocess.run(
        ["bash", "-c", f'{line}; printf "%s\\n" "$command"'], cwd=ROOT, text=True, capture_output=True, check=True
    )
    assert found.stdout == BLOCKS[1]


def test_every_call_in_the_texts_is_understood():
    calls = []
    examples = sorted(file for file in ROOT.glob("examples/*") if file.is_file())
    for file in [ROOT / "README.md", *examples, ROOT / ".pre-commit-hooks.yaml"]:
        text = file.read_text(encoding="utf-8")
        calls += re.findall(r"api-audit ((?:scan|apply|diff|snapshot|explain|rules|cache) [^\n`#&|]*)", text)
    assert len(calls) >= 5
    for call in calls:
        words = [word for word in shlex.split(call) if word not in ("CONSUMER...", "[--from", "SPEC]")]
        parsed(["scan", "." if len(words) == 1 else words[1], *words[2:]] if words[0] == "scan" else words)


def test_the_settings_example_is_accepted():
    located = config.load(ROOT / "examples" / "settings" / "pyproject.toml")
    assert located.config.ignores()


def test_the_readmes_settings_are_accepted(tmp_path):
    (block,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    file = tmp_path / "pyproject.toml"
    file.write_text(block, encoding="utf-8")
    assert config.load(file).config.rule_packs == ["rules/"]


@pytest.mark.parametrize(
    "file", [*sorted(ROOT.glob("examples/*.y*ml")), ROOT / ".pre-commit-hooks.yaml", ROOT / "action.yml"], ids=str
)
def test_yaml_examples_are_yaml(file):
    assert yaml(file)


def test_the_hook_names_the_program():
    hook, fill = yaml(ROOT / ".pre-commit-hooks.yaml")
    assert {hook["entry"].split()[0], fill["entry"].split()[0]} == {"api-audit"}
    assert fill["stages"] == ["manual"]
    assert {"--offline", "--no-patches"} <= set(hook["entry"].split())


def test_the_function_is_what_the_package_offers():
    code = (
        "import sys, types; module = types.ModuleType('auditor.scan'); module.scan = lambda options: 'report';"
        "module.Options = dict; sys.modules['auditor.scan'] = module;"
        "from auditor import Options, scan; assert scan(Options()) == 'report', scan;"
        "import auditor; assert auditor.scan(auditor.Options()) == 'report'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
