"""Namespaces that distributions share, and which import package a path lies in."""

from __future__ import annotations

import pytest

from auditor.consumer.source import Sources
from auditor.portions import namespaces, portion, tops

SHARED = ("acme.cloud.lib", "lib")


@pytest.mark.parametrize(
    ("path", "package"),
    [
        ("lib", "lib"),
        ("lib.part", "lib"),
        ("library", None),
        ("acme", None),
        ("acme.cloud", None),
        ("acme.cloud.lib", "acme.cloud.lib"),
        ("acme.cloud.lib.part", "acme.cloud.lib"),
        ("acme.cloud.library", None),
        (".lib", None),
        ("", None),
    ],
)
def test_portion(path, package):
    assert portion(path, SHARED) == package


def test_what_lies_above():
    assert tops(SHARED) == {"acme", "lib"}
    assert namespaces(SHARED) == {"acme", "acme.cloud"}


@pytest.mark.parametrize(
    ("code", "imports"),
    [
        (b"import acme.cloud.lib", True),
        (b"from acme.cloud.lib.part import a", True),
        (b"from acme.cloud import other, lib", True),
        (b"    import lib", True),
        (b"from acme.cloud import other", False),
        (b"from acme import lib", False),
        (b"import acme.cloud", False),
        (b"x = 1  # import lib", False),
    ],
)
def test_what_a_consumer_imports(code, imports):
    sources = Sources("app", "1", "here", {"app": "app.py"}, lambda paths: dict.fromkeys(paths, code))
    assert sources.imports(SHARED) is imports
