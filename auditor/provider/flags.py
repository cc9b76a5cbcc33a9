"""Tests of flags that environment variables may decide: how they are recognised, and said as terms."""

from __future__ import annotations

import ast

from auditor.provider.calls import call_value
from auditor.provider.evaluation import Evaluator
from auditor.reading import Environment, read
from auditor.terms import UNKNOWN, Decided, Preset, Term

TRUE = Preset(holds=True)
FALSE = Preset(holds=False)
_ASKING = frozenset({"environ", "getenv"})
_OS = {"os": "os", "environ": "os.environ", "getenv": "os.getenv"}


def is_flag(test: ast.expr) -> bool:
    """Whether a test is of a constant (`envs.USE_NEW`, `not FAST`), or asks for environment variables itself."""
    match test:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper() and name != "TYPE_CHECKING"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_flag(operand)
        case ast.BoolOp(values=values):
            return any(map(is_flag, values))
        case ast.Call() | ast.Compare():
            return asks_environment(test)
        case _:
            return False


def asks_environment(node: ast.AST) -> bool:
    """Whether code asks for an environment variable somewhere."""
    return any(
        (isinstance(part, ast.Attribute) and part.attr in _ASKING)
        or (isinstance(part, ast.Name) and part.id in _ASKING)
        for part in ast.walk(node)
    )


def flag_term(test: ast.expr, env: Environment) -> Term:
    """A test as a term made of flags, presets and decisions between them; unknown where it is something else."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return negation(flag_term(operand, env))
        case ast.BoolOp(op=operator, values=values):
            found = flag_term(values[-1], env)
            for value in reversed(values[:-1]):
                term = flag_term(value, env)
                found = both(term, found) if isinstance(operator, ast.And) else Decided(term, TRUE, found)
            return found
        case ast.Name() | ast.Attribute():
            return read(test, env)
        case ast.Call() | ast.Compare() if asks_environment(test):
            return preset(test, env.module)
        case ast.Call(func=ast.Name() | ast.Attribute(), args=arguments, keywords=[]) if len(arguments) < 2:
            return read(test, env)
        case _:
            return UNKNOWN


def both(one: Term, other: Term) -> Term:
    """The test that both hold."""
    return other if one == TRUE else Decided(one, other, FALSE)


def negation(test: Term) -> Term:
    """The test that one does not hold."""
    return Decided(test, FALSE, TRUE)


def preset(node: ast.expr, module: str) -> Term:
    """What a test that asks for environment variables comes to where none is set; unknown where it asks for more."""
    evaluator = Evaluator(module, module, lambda _: False, _OS, call_value)
    truth = evaluator.truth(evaluator.value(node, {}))
    if truth is None or not evaluator.variables:
        return UNKNOWN
    return Preset(truth, tuple(evaluator.variables))
