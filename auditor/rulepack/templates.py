"""Templates over metavariables: jinja2 in its sandbox, where an unbound name is an error and never an empty text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import SandboxedEnvironment


class UnboundError(Exception):
    """A template names a metavariable that nothing here binds."""


class TemplateError(Exception):
    """A template cannot be parsed."""


@cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
    )


@cache
def _compiled(template: str) -> Template:
    return _environment().from_string(template)


def render(template: str, bound: Mapping[str, Any]) -> str:
    """The text of a template.

    Raises:
        UnboundError: A metavariable is not bound, or is used in a way that the sandbox does not allow.
    """
    if "{" not in template:
        return template
    from jinja2 import TemplateError as JinjaError

    try:
        return _compiled(template).render(bound)
    except (JinjaError, TypeError, ValueError) as error:
        raise UnboundError(str(error)) from error


def check(template: str) -> None:
    """Refuse a template that cannot be parsed."""
    from jinja2 import TemplateError as JinjaError

    try:
        _environment().parse(template)
    except JinjaError as error:
        raise TemplateError(str(error)) from error
