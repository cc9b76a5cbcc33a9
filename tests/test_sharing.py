"""Tables of structs: what is read back is what was written, and equal parts are one object."""

from __future__ import annotations

import pytest
from msgspec import msgpack

from auditor.sharing import Sharing, Table, Writer
from auditor.terms import Constant, Guard, Import, Mapping, Member, Unpacked

SHARING = Sharing([Constant, Guard, Import, Mapping, Member, Unpacked])


def round_trip(*written: object) -> list[object]:
    writer = Writer(SHARING)
    numbers = [writer.number(value) for value in written]
    values = SHARING.values(msgpack.decode(msgpack.encode(writer.table()), type=Table))
    return [values[number] for number in numbers]


@pytest.mark.parametrize(
    "value",
    [
        Import("acme.run"),
        Member(Member(Import("acme"), "a"), "b"),
        Unpacked(Import("acme"), 1, 0),
        Mapping((("1", Import("a")), ("x", Import("b"))), True, (("x", (Guard("hasattr", "t", of=Import("a")),)),)),
        (),
        (1, True, 0, False, None, "1", ("x", (Import("x"),))),
    ],
)
def test_what_is_read_back_is_what_was_written(value: object):
    (found,) = round_trip(value)
    assert found == value
    assert repr(found) == repr(value)  # 1 == True


def test_equal_parts_are_one_object():
    one, other = round_trip(Member(Import("acme"), "a"), Member(Import("acme"), "b"))
    assert isinstance(one, Member)
    assert isinstance(other, Member)
    assert one.of is other.of


@pytest.mark.parametrize("table", [Table((), ((99, 0),)), Table((), ((3, 7),)), Table(("a",), ((3, 0, 0, 0),))])
def test_what_is_no_table_is_refused(table: Table):
    with pytest.raises(ValueError):  # noqa: PT011 - the message is Python's
        SHARING.values(table)
