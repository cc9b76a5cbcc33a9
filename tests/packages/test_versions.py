from __future__ import annotations

import pytest

from auditor.errors import SpecError
from auditor.packages.files import IndexFile, best_file, smallest_whole, version_of
from auditor.packages.spec import IndexSpec, parse_spec
from auditor.packages.versions import choose, choose_all, has_exactly


def published(*versions: str, yanked: tuple[str, ...] = ()) -> list[IndexFile]:
    return [IndexFile(f"v-{v}.tar.gz", f"https://x/v-{v}.tar.gz", v, yanked=v in yanked) for v in versions]


def spec(text: str) -> IndexSpec:
    parsed = parse_spec(text)
    assert isinstance(parsed, IndexSpec)
    return parsed


SOME = published("0.15.1", "0.16.0", "0.17.0", "0.17.1", "0.18.0rc1", "0.19.0", yanked=("0.19.0",))


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v", "0.17.1"),
        ("v==0.16", "0.16.0"),
        ("v==0.17.*", "0.17.1"),
        ("v<0.17", "0.16.0"),
        ("v>=0.12,<0.17.1", "0.17.0"),
        ("v==0.18.0rc1", "0.18.0rc1"),
        ("v==0.19", "0.19.0"),  # yanked, but asked for by name
    ],
)
def test_highest(text: str, version: str) -> None:
    assert str(choose(spec(text), SOME)[0]) == version


def test_pre_releases_only_where_there_is_nothing_else() -> None:
    assert str(choose(spec("v"), published("1.0a1", "1.0b1"))[0]) == "1.0b1"


def test_range_lists_all_in_order() -> None:
    found = choose_all(spec("v>=0.16"), published("0.17.0", "0.9", "0.16.0", "0.100", "nonsense"))
    assert [str(version) for version in found] == ["0.16.0", "0.17.0", "0.100"]


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("v==0.16.7", "0.16.0, 0.17.0"),
        ("v==1", "0.17.0, 0.17.1"),
        ("v==0.1", "0.15.1, 0.16.0"),
        ("v>3", "0.17.0, 0.17.1"),
    ],
)
def test_unknown_version_names_the_nearest(text: str, nearest: str) -> None:
    with pytest.raises(SpecError) as caught:
        choose(spec(text), SOME)
    assert str(caught.value) == f"v has no release {text[1:].removeprefix('==')}; nearest: {nearest}"


def test_unknown_package_guesses_a_spelling() -> None:
    with pytest.raises(SpecError, match="Did you mean `transformers`"):
        choose(spec("tranformers"), [])


def test_only_an_exact_version_may_come_from_an_old_page() -> None:
    assert has_exactly(spec("v==0.16"), SOME)
    assert not has_exactly(spec("v==0.20"), SOME)
    assert not has_exactly(spec("v>=0.16"), SOME)


@pytest.mark.parametrize(
    ("filename", "name", "version"),
    [
        ("Some.Thing-1.0.tar.gz", "some-thing", "1.0"),
        ("some-thing-1.0.zip", "some-thing", "1.0"),
        ("some_thing-1.0-py3-none-any.whl", "some-thing", "1.0"),
        ("some_thing-1.0-2build-py3-none-any.whl", "some-thing", "1.0"),
        ("some_thing-1.0-py2.7.egg", "some-thing", "1.0"),
        ("some-thing-else-1.0.tar.gz", "some-thing", "else-1.0"),
        ("other-1.0.tar.gz", "some-thing", None),
        ("some_thing-1.0.exe", "some-thing", None),
        ("some_thing-1.0.whl", "some-thing", None),
    ],
)
def test_versions_from_file_names(filename: str, name: str, version: str | None) -> None:
    assert version_of(filename, name) == version


def file(name: str, size: int | None = 1) -> IndexFile:
    return IndexFile(name, f"https://x/{name}", "1", size=size)


def test_preference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.packages.files._fitting", lambda: {("cp310", "cp310", "linux_here"): 0})
    monkeypatch.setattr("auditor.packages.files._this_platform", lambda platform: platform == "linux_here")
    ladder = [
        file("a-1-py3-none-any.whl", 9),
        file("a-1-py2-none-any.whl", 8),
        file("a-1-cp310-cp310-linux_here.whl", 7),
        file("a-1-cp313-cp313-linux_here.whl", 6),
        file("a-1-cp39-cp39-linux_here.whl", 5),
        file("a-1-cp39-cp39-win_arm64.whl", 3),
        file("a-1-cp39-cp39-macosx_11_0_arm64.whl", 4),
        file("a-1-py2.7.egg", 2),
        file("a-1.tar.gz", 1),
        file("a-1.zip", 1),
    ]
    for place in range(len(ladder)):
        assert best_file(ladder[place:][::-1]) == ladder[place]


def test_the_smaller_one_is_fetched_whole() -> None:
    assert smallest_whole([file("a-1-py3-none-any.whl", 9), file("a-1.tar.gz", 3)]).filename == "a-1.tar.gz"
    assert smallest_whole([file("a-1-py3-none-any.whl", 2), file("a-1.tar.gz", None)]).filename.endswith(".whl")


def test_a_package_of_a_mistyped_name_hints_at_the_familiar_one() -> None:
    with pytest.raises(SpecError) as caught:
        choose(spec("speculator==9"), SOME)
    assert str(caught.value).endswith("Did you mean `speculators`?")
