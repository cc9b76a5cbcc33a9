"""What a consumer's metadata says about a provider, and which release follows from it as the old side."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from repositories import git

from auditor.claims import claimed, old_version
from auditor.consumer.source import Sources
from auditor.packages.files import IndexFile
from auditor.packages.gittree import committed

PUBLISHED = ("0.9", "1.0", "1.1", "1.2", "2.0")


class Index:
    """An index with one project, whose n-th release came in the n-th month of a year."""

    def __init__(self, dated: bool = True) -> None:
        self.dated = dated

    def files(self, name, **_):
        return [
            IndexFile(f"lib-{v}.tar.gz", "https://x/", v, uploaded=month(n) if self.dated else None)
            for n, v in enumerate(PUBLISHED, 1)
        ]


def month(number: int) -> datetime:
    return datetime(2025, number, 1, tzinfo=timezone.utc)


def sources(*requires: str, published: datetime | None = None) -> Sources:
    return Sources("app", "1", "here", {}, lambda _: {}, requires, lambda: published)


@pytest.mark.parametrize(
    ("lines", "versions", "shown"),
    [
        (["lib>=1.0", "lib<2"], ["1.0", "1.1", "1.2"], "lib<2,>=1.0"),
        (
            ["lib==1.0; extra == 'pinned'", "lib>1.1; extra == 'newest'"],
            ["1.0", "1.2", "2.0"],
            "lib==1.0 or lib>1.1",
        ),
        (["lib>=1.0", "lib<1.2; extra == 'old'"], ["1.0", "1.1"], "lib<1.2,>=1.0"),
        (["lib==7; extra == 'gone'", "lib==1.0; extra == 'there'"], ["1.0"], "lib==7 or lib==1.0"),
        (["lib"], list(PUBLISHED), "lib"),
        (["lib==1.0+cpu"], ["1.0"], "lib==1.0"),
    ],
)
def test_what_several_extras_ask_for_are_alternatives(lines, versions, shown):
    claim = claimed(sources(*lines), "lib", Index())
    assert [str(v) for v in claim.versions] == versions
    assert claim.shown == shown


APRIL = month(4)


@pytest.mark.parametrize(
    ("requirement", "published", "target", "chosen"),
    [
        ("lib==1.0", APRIL, "2.0", "1.0"),
        ("lib>=0.9,<1.2", APRIL, "2.0", "1.1"),  # above the claim: its nearest end
        ("lib>=1.0,<2", APRIL, "0.9", "1.0"),  # below it too
        ("lib>=1.0,<2", APRIL, "1.1", "1.0"),  # inside a closed one: over its whole width
        ("lib>=1.0,<2", APRIL, "1.0", "1.2"),
        ("lib>=1.0", APRIL, "2.0", "1.2"),  # open above: what was current then, not the lowest
        ("lib>=1.0", APRIL, None, "1.2"),
        ("lib>=1.0", APRIL, "1.1", "1.2"),
        ("lib>=1.0", APRIL, "0.9", "1.0"),
        ("lib>=1.0", APRIL, "1.2", "1.0"),  # the current one itself: the claim has another end
        ("lib", APRIL, "2.0", "1.2"),
        ("lib!=1.2", APRIL, "2.0", "1.1"),
        ("lib", APRIL, "1.2", None),
        ("lib>=1.0", None, "2.0", "1.0"),
        ("lib", None, "2.0", None),  # 0.9 is in the claim, but nobody claims to have tried it
        ("other", APRIL, "2.0", "1.2"),  # undeclared, though imported
        ("other", None, "2.0", None),
    ],
)
def test_the_old_side(requirement, published, target, chosen):
    found, reason = old_version(sources(requirement, published=published), "lib", target, Index(), indexed=True)
    assert found == chosen
    declared = chosen is not None and requirement.startswith("lib")
    assert ("declared by the consumer" if declared else "does not say which lib") in reason
    current = "1.2 was current when app was published"
    assert (current in reason) == (chosen == "1.2" and "<" not in requirement)


def test_an_index_without_upload_times_tells_nothing_about_what_was_current():
    undated = Index(dated=False)
    assert old_version(sources("lib>=1.0", published=APRIL), "lib", "2.0", undated, indexed=True)[0] == "1.0"
    assert old_version(sources("lib", published=APRIL), "lib", "2.0", undated, indexed=True)[0] is None


def test_no_index_is_asked_about_a_provider_from_elsewhere():
    assert old_version(sources("other", published=APRIL), "lib", "2.0", None, indexed=False)[0] is None


def test_a_checkout_is_of_its_last_commit(tmp_path):
    assert committed(tmp_path) is None
    git(tmp_path, "init", "-q")
    assert committed(tmp_path) is None
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "one", GIT_COMMITTER_DATE="2025-04-01T00:00:00Z")
    assert committed(tmp_path) == APRIL
