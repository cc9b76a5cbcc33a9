"""The signature with which a class is called, also where nobody wrote it: dataclasses and their relatives."""

from __future__ import annotations

from auditor.provider.constructors.choose import constructor
from auditor.provider.constructors.pydantic import EXTRA, IGNORED
from auditor.provider.constructors.records import named_tuple_call
from auditor.provider.constructors.view import ClassView, ConstantView, Constructor, ConstructorKind, ExternalBase

__all__ = [
    "EXTRA",
    "IGNORED",
    "ClassView",
    "ConstantView",
    "Constructor",
    "ConstructorKind",
    "ExternalBase",
    "constructor",
    "named_tuple_call",
]
