"""Templates that are filled in without jinja2 say what jinja2 makes of them, and the others are left to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.rulepack import built_in_rules, read_fields
from auditor.rulepack.plain import fill
from auditor.rulepack.templates import UnboundError, _rendered, render

BOUND: dict[str, Any] = {
    "a": "x",
    "n": 3,
    "none": None,
    "thing": SimpleNamespace(text="f(1)", args=SimpleNamespace(size="4", _hidden="h")),
    "shout": lambda *given: "-".join(map(str, given)).upper(),
    "fails": lambda: int("x"),
}
PLAIN = [
    "",
    "text",
    "{{ a }}",
    "{{a}} and {{ thing.args.size }}\n",
    "two lines {{ a }}\n\n",
    "{{ shout(a, 'b', 1) }}",
    "{{ a == 'x' }} {{ a != 'x' }} {{ n == 3 }} {{ not a }}",
    "{{ 'one' if a == 'y' else thing.text }}",
    "{{ none }} {{ True }}",
    "{ a } }}",
    "{{\na\n}}",
]
LEFT = [
    "{{ unbound }}",
    "{{ thing.args.absent }}",
    "{{ thing.args._hidden }}",
    "{{ a.upper() }}",
    "{{ a|upper }}",
    "{{- a -}} b",
    "{{ a ~ a }}",
    "{{ n + 1 }}",
    "{{ a is defined }}",
    "{{ true }}",
    "{{ 'a\\tb' }}",
    "{{ '}}' }}",
    "{{ a }} {{ b",
    "{% if a %}{{ a }}{% endif %}",
    "{# a #}{{ a }}",
    "{{ a }}\r\n{{ a }}",
    "{{ shout(*a) }}",
    "{{ a[0] }}",
]


def outcome(template: str, make: Any) -> str:
    try:
        return str(make(template, BOUND))
    except UnboundError:
        return "unbound"


@pytest.mark.parametrize("template", PLAIN)
def test_plain_ones_say_the_same(template):
    assert fill(template, BOUND) == _rendered(template, BOUND)


@pytest.mark.parametrize("template", LEFT)
def test_the_others_are_left_to_jinja2(template):
    assert fill(template, BOUND) is None
    assert outcome(template, render) == outcome(template, _rendered)


def test_what_a_helper_refuses_is_unbound_either_way():
    assert outcome("{{ fails() }}", render) == outcome("{{ fails() }}", _rendered) == "unbound"


def texts(data: object) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for inner in data.values() if isinstance(data, dict) else data:
            yield from texts(inner)


def test_the_built_in_rules_say_the_same():
    names = SimpleNamespace(**{name: name for name in ("model", "size", "trust_remote_code", "vllm_config", "config")})
    bound = dict.fromkeys(("receiver", "callee", "target", "text", "function", "method", "old", "new", "result"), "it")
    both: dict[str, Any] = {**bound, "args": names}
    both |= dict.fromkeys(("fresh", "negated", "grouped", "offers"), lambda text: f"<{text}>")
    both |= dict.fromkeys(
        ("scheduler", "other", "by_hand", "config"), SimpleNamespace(args=names, callee="c", target="t")
    )
    filled = 0
    for file in built_in_rules().rglob("*.yaml"):
        for template in texts(read_fields(file, file.read_bytes())):
            if "{{" in template and (text := fill(template, both)) is not None:
                filled += 1
                assert text == _rendered(template, both), file
    assert filled > 20


def test_plain_ones_need_no_jinja2():
    code = "import sys; from auditor.rulepack.templates import render; "
    code += "print(render('{{ a }}', {'a': 1}), 'jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["1", "False"]
