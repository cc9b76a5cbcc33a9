"""Reads one file of a consumer: the module's API, its uses, and the API with what the walk found out."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from auditor.api import AttributeApi, ClassApi, Definition, FunctionApi, ModuleApi
from auditor.consumer.analysis import ConsumerModule, FileAnalysis, Job
from auditor.consumer.walker import walk
from auditor.decoding import parse
from auditor.model import Problem
from auditor.terms import Mapping as Keywords
from auditor.terms import Term

ReadModule: TypeAlias = Callable[[str, bytes, bool, "ast.Module | None"], ModuleApi]
"""Reads a module's API out of its source: name, source, is it a package, its syntax tree where there is one."""


def read_file(job: Job, interesting: frozenset[str], read_module: ReadModule) -> ConsumerModule:
    """Read a file; what cannot be read becomes a problem.

    Args:
        job: The file.
        interesting: Top-level names of the packages whose uses count.
        read_module: The provider room's reader, handed in: rooms do not know each other.
    """
    name, path = job.name, job.path
    is_package = path.rsplit("/", 1)[-1] == "__init__.py"
    try:
        text, tree = parse(job.source)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError) as error:
        api = read_module(name, job.source, is_package, None)
        known = api.problems[0].removeprefix("partly read: ") if api.problems else f"cannot be read: {error}"
        return ConsumerModule(api, _broken(path, name, known))
    api = read_module(name, job.source, is_package, tree)
    if api.problems:
        return ConsumerModule(api, _broken(path, name, api.problems[0].removeprefix("partly read: ")))
    try:
        analysis = walk(name, path, text, tree, is_package=is_package, interesting=interesting)
    except (ValueError, RecursionError, MemoryError) as error:
        return ConsumerModule(api, _broken(path, name, f"cannot be read: {error}"))
    return ConsumerModule(_refined(api, analysis), analysis)


def _broken(path: str, name: str, message: str) -> FileAnalysis:
    """Nothing of a file: how much of its API could be read all the same is not said, for its uses were not."""
    told = re.match(r"(?P<what>.*?) \((?:.*, )?line (?P<line>\d+)\)", message, re.DOTALL)
    what, line = (told["what"], int(told["line"])) if told else (message, None)
    return FileAnalysis(path, name, problems=(Problem(path, what, line, "syntax-error"),))


def _refined(api: ModuleApi, analysis: FileAnalysis) -> ModuleApi:
    """The API with the walk's terms, which follow local variables, in place of the quick reader's."""
    names = {
        name: tuple(_refine(d, d.name, analysis) if isinstance(d, ClassApi | FunctionApi) else d for d in definitions)
        for name, definitions in api.names.items()
    }
    for name, cls in analysis.local_classes.items():
        names[name] = (_refine(cls, name, analysis),)
    for name, term in analysis.globals.items():
        stated = [d for d in names.get(name, ()) if not (isinstance(d, AttributeApi) and d.term is None)]
        names[name] = (*stated, AttributeApi(name, 0, term=term, value="..."))
    redefined = analysis.local_classes.keys() | analysis.globals.keys()
    conditions = {name: tests for name, tests in api.conditions.items() if name not in redefined}
    return msgspec.structs.replace(api, names=names, conditions=conditions)


def _refine(definition: ClassApi | FunctionApi, path: str, analysis: FileAnalysis) -> Definition:
    if isinstance(definition, FunctionApi):
        term = analysis.results.get(path)
        if term is not None and (definition.returns is None or isinstance(term, Keywords)):
            return msgspec.structs.replace(definition, result=term)
        return definition
    members = {
        name: tuple(
            _refine(d, f"{path}.{d.name}", analysis) if isinstance(d, ClassApi | FunctionApi) else d
            for d in alternatives
        )
        for name, alternatives in definition.members.items()
    }
    instance = dict(definition.instance)
    for name, term in analysis.attributes.get(path, {}).items():
        instance[name] = (_attribute(name, term, instance.get(name, ())),)
    return msgspec.structs.replace(definition, members=members, instance=instance)


def _attribute(name: str, term: Term, known: Sequence[AttributeApi]) -> AttributeApi:
    annotated = next((a for a in known if a.annotation is not None), None)
    first = annotated or (known[0] if known else None)
    if first is None:
        return AttributeApi(name, 0, term=term, value="...", in_init=True)
    return msgspec.structs.replace(first, term=term)
