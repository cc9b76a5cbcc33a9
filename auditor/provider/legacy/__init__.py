"""Recovers modules in another Python's syntax, older or newer than the running one's, as far as signatures need it."""

from __future__ import annotations

from typing import NamedTuple

from auditor.provider.legacy.lexing import statements
from auditor.provider.legacy.omission import Omission
from auditor.provider.legacy.rewriting import rewrite
from auditor.provider.legacy.words import NEW, OLD

MAX_SIZE = 2 * 2**20
"""Length beyond which a module is not worth recovering."""


class Recovery(NamedTuple):
    """A module's source in the running Python's syntax, on the same lines."""

    code: str
    problem: str
    is_open: bool
    """Whether statements were left out with which global names may be lost."""


def recover(code: str, error: SyntaxError) -> Recovery | None:
    """Make a module readable that could not be parsed, None if it is beyond that."""
    if len(code) > MAX_SIZE:
        return None
    cut = statements(code)
    met = rewrite(cut)
    omission = Omission(cut)
    readable = omission.parse()
    if readable is None:
        return None
    if isinstance(error, TabError):
        met |= {OLD}
    reason = OLD if OLD in met else NEW if NEW in met else f"syntax error: {error.msg}"
    problem = f"partly read: {reason} (line {error.lineno or 0})"
    if omission.lines:
        shown = ", ".join(map(str, sorted(set(omission.lines))[:8]))
        problem += f", left out what was not understood on line {shown}"
    return Recovery(readable, problem, omission.is_open)
