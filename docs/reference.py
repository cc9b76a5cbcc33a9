"""Writes docs/reference/ out of the code: `python docs/reference.py`; with `--check` it only says what is stale.

Commands and options come from click, settings from the config struct and its documentation, schemas from the files that
are shipped, rules from the rulebook; each rule's example is a real audit of its case in tests/cases/.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import msgspec

from auditor import config
from auditor.cli.app import ENVIRONMENT, program
from auditor.cli.rulebook import PACKAGE, Entry, rulebook
from auditor.model import Report

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "reference"
NOTE = "<!-- Written by docs/reference.py; edit the code instead. -->\n"


def pages() -> dict[str, str]:
    """File name -> content of every page of the reference."""
    return {
        "cli.md": cli(),
        "settings.md": settings(),
        "json.md": schema_page("report", "The JSON report", _JSON),
        "rule-schema.md": schema_page("rule", "The rule schema", _RULE),
        "rules.md": rules(),
    }


_JSON = """`--output-format json` is a contract: within one `schema` number keys are added, never taken away. The schema
is shipped as `auditor/schemas/report.schema.json`, and a test validates what the format writes against it."""
_RULE = """What a rule file may say; [how to write one](../rules.md) explains it by example. The schema is shipped as
`auditor/schemas/rule.schema.json` for editors; the reader is as strict as it is."""


# --- commands ---------------------------------------------------------------------------------------------------------


def cli() -> str:
    """Every command with its options, their variables and settings."""
    parts = [NOTE, "# Commands\n"]
    with program.make_context("api-audit", ["rules"]) as context:
        for name in program.list_commands(context):
            command = program.get_command(context, name)
            assert command is not None
            with click.Context(command, info_name=name, parent=context) as inner:  # inherits what help is called
                parts += _command(name, command, inner)
    parts.append(_EXITS)
    return "\n".join(parts)


_EXITS = """## Exit codes

| code | meaning |
|---|---|
| 0 | no drift; notes do not count |
| 1 | findings (`scan`, `matrix`, `bisect`), guards (`prune`); with `--exit-code` changes (`diff`) |
| 2 | could not finish |
| 130 | interrupted |
"""


def _command(name: str, command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## api-audit {name}\n"
    yield f"```text\n{' '.join(['api-audit', name, *command.collect_usage_pieces(context)])}\n```\n"
    yield _prose(command.help or "") + "\n"
    titles = {one: title for title, names in getattr(command, "sections", {}).items() for one in names}
    sections: dict[str, list[click.Option]] = {}
    for parameter in command.get_params(context):
        if isinstance(parameter, click.Option) and "--help" not in parameter.opts:
            sections.setdefault(titles.get(str(parameter.name), "Options"), []).append(parameter)
    for title in ("Options", *getattr(command, "sections", {})):
        if title in sections:
            yield f"**{title}**\n"
            yield "| option | what it does | variable |\n|---|---|---|"
            yield "\n".join(_option(option, context) for option in sections[title]) + "\n"
    if command.epilog:
        yield f"```text\n{command.epilog.replace(chr(8), '').strip()}\n```\n"


def _option(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{one}`" for one in option.opts)
    record = option.get_help_record(context)
    metavar = record[0].rpartition(option.opts[-1])[2].strip(" ,") if record else ""
    shown = f"{names} `{metavar}`" if metavar and not option.is_flag and not option.count else names
    return f"| {_cell(shown)} | {_cell(option.help or '')}{_default(option)} | {_variable(option)} |"


def _default(option: click.Option) -> str:
    return f" Default: `{option.default}`." if option.show_default and option.default is not None else ""


def _variable(option: click.Option) -> str:
    if not option.allow_from_autoenv or not option.expose_value:
        return ""
    given = option.envvar if isinstance(option.envvar, str) else f"{ENVIRONMENT}_{str(option.name).upper()}"
    return f"`{given}`"


# --- settings ---------------------------------------------------------------------------------------------------------


def settings() -> str:
    """The keys of `[tool.api-audit]`."""
    documented = _attribute_docs(Path(config.__file__))
    parts = [NOTE, "# Settings\n", _SETTINGS, "| key | type | same as |\n|---|---|---|"]
    parts += [
        f"| `{field.encode_name}` | {_cell(_type(field.type))} | {_FLAGS[field.encode_name]} |"
        for field in msgspec.structs.fields(config.Config)
    ]
    parts += ["", "## Reasoned ignores\n", "`[[tool.api-audit.ignore]]`, any number of times:\n"]
    parts.append("| key | type | meaning |\n|---|---|---|")
    for field in msgspec.structs.fields(config.Ignore):
        text = documented.get(("Ignore", field.name), "Why the finding is accepted; required.")
        parts.append(f"| `{field.encode_name}` | {_cell(_type(field.type))} | {_cell(text)} |")
    return "\n".join(parts) + "\n"


_SETTINGS = """`[tool.api-audit]` of the nearest `pyproject.toml`, seen from the first consumer. A flag beats an
environment variable, which beats the file, which beats the default. An unknown key is refused, with the nearest known
one. Relative paths start at the file's folder. `api-audit scan --show-settings` says what all of it adds up to, and
where each value came from.
"""
_FLAGS = {
    field.encode_name: f"`--{field.encode_name}`" for field in msgspec.structs.fields(config.Config)
} | {
    "rule-packs": "`--rules`",
    "patches": "`--no-patches`, with the opposite meaning",
    "per-file-ignores": "(only here) glob -> rules that are ignored in the files it matches",
    "ignore": "`--ignore`; also the tables below",
}  # fmt: skip


def _type(kind: Any) -> str:
    text = str(kind).replace("typing.", "").replace("auditor.config.", "").replace("<class '", "").replace("'>", "")
    return f"`{text.replace('Optional[', '').replace(' | None', '').replace('NoneType', 'None')}`"


def _attribute_docs(file: Path) -> dict[tuple[str, str], str]:
    """(class, attribute) -> the string under it."""
    found = {}
    for cls in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(cls, ast.ClassDef):
            for one, two in zip(cls.body, cls.body[1:], strict=False):
                match one, two:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=text)):
                        found[cls.name, name] = str(text)
    return found


# --- schemas ----------------------------------------------------------------------------------------------------------


def schema_page(name: str, title: str, text: str) -> str:
    """A JSON schema as tables, one an object."""
    schema = json.loads((PACKAGE / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))
    definitions = schema.get("$defs", {})
    root = schema
    if "$ref" in schema:
        root = definitions[schema["$ref"].rpartition("/")[2]]
    parts = [NOTE, f"# {title}\n", text + "\n"]
    for heading, one in {"The document": root, **definitions}.items():
        if one is root and heading != "The document":
            continue
        parts.append(f"## {heading}\n")
        if one.get("description"):
            parts.append(_prose(one["description"]) + "\n")
        if "properties" not in one:
            parts.append(f"{_shape(one)}\n")
            continue
        required = one.get("required", ())
        parts.append("| key | value | |\n|---|---|---|")
        for key, value in one["properties"].items():
            needed = "" if key in required else "optional. "
            parts.append(f"| `{key}` | {_cell(_shape(value))} | {needed}{_cell(value.get('description', ''))} |")
        parts.append("")
    return "\n".join(parts)


def _shape(value: Any) -> str:
    """What a schema allows, in a phrase."""
    if value is True or value == {}:
        return "anything"
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in value:
        return f"`{json.dumps(value['const'])}`"
    if "enum" in value:
        return ", ".join(f"`{one}`" for one in value["enum"])
    for key in ("anyOf", "oneOf"):
        if key in value:
            return " or ".join(dict.fromkeys(_shape(one) for one in value[key]))
    kind = value.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {_shape(value.get('items', {}))}"
    if kind == "object" and isinstance(value.get("additionalProperties"), dict):
        return f"object of {_shape(value['additionalProperties'])}"
    return str(kind)


# --- rules ------------------------------------------------------------------------------------------------------------


def rules() -> str:
    """Every check and every rule: what, why, an example, and what is repaired."""
    entries = rulebook()
    checks = {file.stem.replace("_", "-") for file in (PACKAGE / "checks").glob("[!_]*.py")}
    checks |= {one for one, entry in entries.items() if entry.origin.startswith("core/")}
    parts = [NOTE, "# Rules\n", _RULES]
    for title, ids in (
        ("Checks", [one for one in entries if one in checks]),
        ("Rules of providers", [one for one in entries if one not in checks]),
    ):
        parts.append(f"## {title}\n")
        with TemporaryDirectory() as store:
            for one in ids:
                parts += _rule(entries[one], Path(store))
    return "\n".join(parts)


_RULES = """A *check* asks a question that every library raises. A *rule of a provider* knows a change that no signature
shows, and is data. `api-audit explain RULE` shows the same in the terminal. Each example below is the report of a real
audit of the rule's case in `tests/cases/`.
"""


def _rule(entry: Entry, store: Path) -> Iterator[str]:
    yield f"### {entry.id}\n"
    yield f"**What.** {_inline(entry.summary)}\n"
    why = entry.fields.get("why")
    if why:
        yield f"**Why.** {_inline(str(why))}\n"
    fix = entry.fields.get("fix")
    repair = entry.fields.get("repair")
    if isinstance(fix, dict):
        yield f"**Fix.** {fix.get('applicability', '').capitalize()}: {_inline(str(fix.get('safety', '')))}\n"
    elif repair:
        yield f"**Fix.** {_inline(str(repair))}\n"
    else:
        yield f"**Fix.** None{': ' + _inline(str(entry.fields['unfixed'])) if entry.fields.get('unfixed') else ''}.\n"
    example = _example(entry.id, store)
    if example:
        yield f"```text\n{example}\n```\n"
    yield f"Written in `{entry.origin}`.\n"


def _example(rule: str, store: Path) -> str:
    """The first finding of a rule on its own case, as the full format tells it."""
    from auditor.prune import prune
    from auditor.scan import Options, scan
    from auditor.suppressions import PRUNED

    case = ROOT / "tests" / "cases" / rule
    if rule == PRUNED:
        case = ROOT / "tests" / "prune" / "example"
        guarded = Options(
            consumers=(str(case / "consumer"),), against=(f"lib @ {case / 'provider'}",), offline=True, cache_dir=store
        )
        return _shown(rule, prune(guarded))
    if not case.is_dir():
        return ""
    provider = json.loads((case / "expected.json").read_text(encoding="utf-8")).get("provider", "lib")
    report = scan(
        Options(
            consumers=(str(case / "consumer"),),
            from_=(f"{provider} @ {case / 'provider_old'}",),
            against=(f"{provider} @ {case / 'provider_new'}",),
            offline=True,
            cache_dir=store,
        )
    )
    return _shown(rule, report)


def _shown(rule: str, report: Report) -> str:
    from auditor.formats import RenderOptions
    from auditor.formats.full import render

    first = next((finding for finding in report.findings if finding.rule == rule), None)
    if first is None:
        return ""
    lines = render(
        msgspec.structs.replace(report, findings=(first,), problems=()), RenderOptions(width=110)
    ).splitlines()
    start = next(number for number, line in enumerate(lines) if f"[{rule}]" in line)
    kept = [line.rstrip() for line in lines[start:]]
    text = "\n".join(kept).strip()
    return text.replace("provider_old:", "old:").replace("provider_new:", "new:")


# --- text -------------------------------------------------------------------------------------------------------------


def _prose(text: str) -> str:
    return "\n".join(line.strip() for line in text.replace("\b", "").strip().splitlines())


def _inline(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` compare them; 1 where something is stale."""
    stale = 0
    for name, text in pages().items():
        file = TARGET / name
        text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"stale: {file.relative_to(ROOT)}; write it with `python docs/reference.py`")
            stale = 1
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            print(f"written: {file.relative_to(ROOT)}")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
