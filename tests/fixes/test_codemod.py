"""The codemod: repairs compose, collide loudly, come to rest, and leave every other byte alone."""

from __future__ import annotations

import io
import tokenize

import msgspec
import pytest
from fixes import test_call_repairs, test_import_repairs, test_other_repairs
from fixes.marked import repaired, unmarked
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor import fixes
from auditor.codemod import MAX_BYTES, footprint, rewrite
from auditor.fixes import RepairError
from auditor.model import Repair, Span
from auditor.patches.proofs import untouched

REMOVE = ("remove-argument", {"name": "gone"})
ADD = ("add-argument", {"name": "n", "value": "1"})
TESTED = {
    "remove-argument",
    "add-argument",
    "to-keyword",
    "rename-argument",
    "move-import",
    "rename-symbol",
    "add-import",
    "import-either",
    "define-constant",
    "unpack-argument",
}


def test_every_repair_is_found_by_its_file_and_tested():
    assert set(fixes.names()) == TESTED | set(test_other_repairs.CASES)


@pytest.mark.parametrize("name", fixes.names())
def test_every_repair_states_its_interface(name):
    fixer = fixes.load(name)
    assert fixer.name == name
    assert fixer.fix.__doc__
    config = fixer.options.__struct_config__
    assert config.frozen
    assert config.forbid_unknown_fields
    kinds = {field.type for field in msgspec.structs.fields(fixer.options)}
    for field in kinds:
        schema = msgspec.json.schema(field)
        types = {part.get("type", "string") for part in schema.get("anyOf", [schema])}
        assert types <= {"string", "integer", "boolean", "null"}


def test_repairs_of_one_call_compose_in_any_order():
    text = "x = «f(1, 2, gone=3)»\n"
    wanted = [REMOVE, ("to-keyword", {"position": 1, "name": "b"}), ("to-keyword", {"position": 0, "name": "a"}), ADD]
    assert repaired(text, *wanted) == repaired(text, *reversed(wanted)) == "x = f(a=1, b=2, n=1)\n"


def test_positions_are_those_of_the_source():
    text = "x = «f(1, 2, 3)»\n"
    assert repaired(text, *[("remove-argument", {"position": p}) for p in (0, 1)]) == "x = f(3)\n"


def test_the_replacing_repair_comes_last():
    wrap = ("wrap-expression", {"after": " or None"})
    assert repaired("x = «f(gone=1)»\n", wrap, REMOVE) == "x = f() or None\n"


def test_nested_and_neighbouring_repairs_compose():
    text = "x = «1¦f(«2¦g(gone=1)¦2», gone=2)¦1»; y = «3¦h(gone=3)¦3»\n"
    assert repaired(text, REMOVE, ADD, REMOVE) == "x = f(g(gone=1, n=1)); y = h()\n"


def test_the_same_repair_twice_is_one():
    insert = ("insert-statement", {"text": "a = 1"})
    assert repaired("x = «f()»\n", insert, insert) == "a = 1\nx = f()\n"


def test_several_insertions_keep_their_order():
    inserts = [("insert-statement", {"text": f"a = {n}", "where": w}) for n, w in enumerate(["before", "after"] * 2)]
    assert repaired("x = «f()»\n", *inserts) == "a = 0\na = 2\nx = f()\na = 1\na = 3\n"


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("«f(a)»\n", ADD, ("add-argument", {"name": "n", "value": "2"})),
        ("«f(old=1)»\n", *(("rename-argument", {"name": "old", "new_name": new}) for new in "ab")),
        ("«x.old»\n", *(("rename-attribute", {"new_name": new}) for new in "ab")),
        ("«f(a)»\n", ADD, ("replace-expression", {"text": "g()"})),
        ("«1¦f(«2¦g(a)¦2»)¦1»\n", ("replace-expression", {"text": "g()"}), ADD),
        ("«from a import old»\nold\n", *(("rename-symbol", {"name": "old", "new_name": new}) for new in "bc")),
    ],
)
def test_colliding_repairs_are_both_named(text, one, other):
    with pytest.raises(RepairError) as caught:
        repaired(text, one, other)
    message = str(caught.value)
    assert "collide" in message
    assert f"`{one[0]}`" in message
    assert f"`{other[0]}`" in message
    assert message.startswith("pkg/mod.py:1:")


def every_case():
    for name, table in (("remove-argument", test_call_repairs.REMOVE), ("to-keyword", test_call_repairs.KEYWORD)):
        yield from ((name, case[1], case[2]) for case in table)
    yield from (("add-argument", case[1], ADD[1]) for case in test_call_repairs.ADD)
    yield from (("move-import", case[1], {"name": "X", "new_module": "b.c"}) for case in test_import_repairs.MOVE)
    yield from (("rename-symbol", case[1], {"name": "old", "new_name": "new"}) for case in test_import_repairs.RENAME)
    yield from (("add-import", f"«»{case[1]}", {"module": "a.b", "name": "N"}) for case in test_import_repairs.ADD)
    yield from ((name, before, options) for name, before, options, _ in test_other_repairs.TABLE)


PADDING = "\ufeff", "# head\n\x0c\n\n", "\n\n\x0c\n    # odd comment\n\t\nlast = '''\n\x0c\t \n'''  # no newline"


@pytest.mark.parametrize("bom", ["", PADDING[0]])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_nothing_outside_the_footprint_changes(bom, newline):
    """Every case of every repair, amid form feeds, odd comments and a last line without an end."""
    for name, text, options in every_case():
        padded = PADDING[1] + text.replace("\r\n", "\n") + PADDING[2]
        plain, spans = unmarked(padded.replace("\n", newline))
        repair = Repair(name, next(iter(spans.values())), options)
        before = (bom + plain).encode()
        after = rewrite(before, [repair])
        assert untouched(before, after, footprint(before, [repair])), (name, text)
        assert after.startswith(bom.encode())
        assert after.count(b"\n") == after.count(newline.encode())


def test_untouched_sees_what_it_should():
    before = b"a\nb\nc\nd\n"
    assert untouched(before, b"a\nX\nY\nc\nd\n", [(2, 3)])
    assert untouched(before, b"a\nb\nX\nc\nd\n", [(3, 3)])
    assert not untouched(before, b"a\nX\nC\nd\n", [(2, 3)])
    assert not untouched(before, b"a\nX\nd\n", [(2, 3)])
    assert not untouched(before, b"a\nb\nX\nc\nd\n", [(2, 2)])
    assert not untouched(before, b"a\nb\nc\nd", [(2, 3)])


@pytest.mark.parametrize(
    "source",
    [
        b"# -*- coding: latin-1 -*-\nx = '\xe9'; y = f(gone='\xe8')\n",
        "# coding: shift_jis\nx = '\u8868'; y = f(gone='\u30bd')\n".encode("shift_jis"),
        "\ufeffx = 'é'; y = f(gone='è')".encode(),
    ],
)
def test_encodings_are_kept(source):
    name = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
    above, _, rest = source.decode(name).partition("f(")
    line, column = above.count("\n") + 1, len(above) - above.rfind("\n")
    span = Span("x.py", line, column, line, column + 2 + rest.index(")") + 1)
    after = rewrite(source, [Repair("remove-argument", span, {"name": "gone"})])
    start = source.index(b"f(")
    assert after == source[:start] + b"f()" + source[source.index(b")") + 1 :]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"x = (\n", "cannot be parsed"),
        (b"x = f()\ry = 1\r", "byte by byte"),
        (b"# coding: nonsense\nx = f()\n", "cannot be parsed"),
        (b"x = '\xff'\n", "cannot be parsed"),
        (b"x = " + b"(" * 5000 + b")" * 5000, "cannot be parsed"),
        (b"x = a" + b".b" * 700, "too deeply|cannot be parsed"),
        (b"x = a" + b" or b" * 5000, "too deeply"),
        (b"x = (" + b"'a'\n" * 5000 + b")", "too deeply"),
        (b"x = " + b"-" * 50_000 + b"1", "cannot be parsed"),
    ],
)
def test_files_that_cannot_be_kept_are_refused(source, message):
    with pytest.raises(RepairError, match=message):
        rewrite(source, [Repair("add-await", Span("x.py", 1, 1, 1, 2), {})])


def test_no_repairs_change_nothing():
    assert rewrite(b"x = (", []) == b"x = ("


NAMES = st.sampled_from(["a", "b", "gone", "kw"])
VALUES = st.sampled_from(["1", "g(x)", "[\n    1,\n]", "lambda: 0", "'é'", "x if y else z", "(1, 2)"])
GAPS = st.sampled_from([" ", "", "\n    ", "  # c\n    ", "\n\n    # own\n    "])


@st.composite
def calls(draw):
    """A call in any layout that Python allows."""
    positional = draw(st.lists(VALUES, max_size=3))
    keywords = draw(st.lists(st.tuples(NAMES, VALUES), max_size=4, unique_by=lambda pair: pair[0]))
    parts = positional + [f"{name}={value}" for name, value in keywords]
    parts += draw(st.sampled_from([[], ["*args"], ["**kwargs"], ["*args", "**kwargs"]]))
    inner = "".join(f"{draw(GAPS)}{part}{',' if i < len(parts) - 1 else ''}" for i, part in enumerate(parts))
    end = draw(st.sampled_from(["", ","])) if parts else ""
    return f"f({inner}{end}{draw(GAPS)})", keywords


@settings(deadline=None)
@given(calls(), st.sampled_from(["remove", "add", "both"]))
def test_any_layout_survives(call, what):
    """The repaired call is what Python's own parser would call the same call with other arguments."""
    import ast

    text, keywords = call
    wanted = ast.parse(f"x = {text}\n")
    node = wanted.body[0].value
    repairs = []
    if what in ("remove", "both"):
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != "gone"]
        repairs.append(REMOVE)
    if what in ("add", "both"):
        place = next((i for i, keyword in enumerate(node.keywords) if keyword.arg is None), len(node.keywords))
        node.keywords.insert(place, ast.keyword("n", ast.Constant(1)))
        repairs.append(ADD)
    after = repaired(f"x = «{text}»\n", *repairs)
    assert ast.dump(ast.parse(after)) == ast.dump(wanted)
    gone = dict(keywords).get("gone") if what != "add" else None
    comments = after.count("#")
    assert comments >= text.count("#") - (1 if gone is not None else 0)


def test_a_file_that_nobody_wrote_by_hand_is_refused_at_once():
    source = b"f(a=1)\n" + b"x = [" + b"1, " * (MAX_BYTES // 3) + b"]\n"
    with pytest.raises(RepairError, match="larger than 400 kB"):
        rewrite(source, [Repair("remove-argument", Span("big.py", 1, 1, 1, 7), {"name": "a"})])
