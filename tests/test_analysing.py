"""Consumer files read on several cores are what they are read on one."""

from __future__ import annotations

import pytest

from auditor import analysing
from auditor.analysing import read_all
from auditor.consumer.analysis import ConsumerModule, Job
from auditor.consumer.stored import decoded

JOBS = [
    Job("app", "app/__init__.py", b"from acme import run\n"),
    Job("app.broken", "app/broken.py", b"def (:\n"),
    *(
        Job(
            f"app.m{n}",
            f"app/m{n}.py",
            b"import acme\n\n" + b"def f(x):\n    y = acme.run(x, b=2)\n    return y.z\n" * n,
        )
        for n in range(1, 30)
    ),
]


def read(jobs: list[Job]) -> dict[str, ConsumerModule]:
    found = list(read_all(jobs, frozenset({"acme", "app"})))
    assert len(found) == len(jobs)
    return {name: decoded(data) for name, data in found}


def test_helpers_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = read(JOBS)
    monkeypatch.setattr(analysing, "_ALONE", 0)
    monkeypatch.setattr(analysing, "_BATCH", 300)
    monkeypatch.setattr(analysing, "spare_cores", lambda: 2)
    assert read(JOBS) == alone
    assert {use.kind for use in alone["app.m3"].analysis.uses} >= {"import", "call"}
    assert [problem.kind for problem in alone["app.broken"].analysis.problems] == ["syntax-error"]


def test_few_files_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysing, "spare_cores", lambda: pytest.fail("asked for cores"))
    assert read(JOBS[:2]).keys() == {"app", "app.broken"}


@pytest.mark.parametrize(
    ("source", "message", "line"),
    [
        (b"import acme\ndef f(:\n", "syntax error: invalid syntax", 2),
        (b"import acme\n\nprint 'a'\n", "Python 2 syntax", 3),
        (b"import acme\n# caf\xe9\n", "cannot be decoded", None),
    ],
)
def test_a_broken_file_says_where(source: bytes, message: str, line: int | None) -> None:
    analysis = read([Job("app.broken", "app/broken.py", source)])["app.broken"].analysis
    assert not analysis.uses
    (problem,) = analysis.problems
    assert problem.message.startswith(message)
    assert (problem.line, "line" in problem.message) == (line, False)
