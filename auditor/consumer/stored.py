"""What was read of a file, as it is stored: most of what its uses are made of occurs often, and stands once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, get_args

import msgspec

from auditor.api import ModuleApi
from auditor.consumer.analysis import ConsumerModule, FileAnalysis
from auditor.model import Argument, Span, Usage, Use
from auditor.sharing import Sharing, Table, Writer
from auditor.terms import Guard, Term

Number: TypeAlias = int
"""Of a value in the table."""
Place: TypeAlias = tuple[int, int, int, int]
"""A span in the file."""

_SHARING = Sharing([Guard, *get_args(Term)])


class _Argument(msgspec.Struct, frozen=True, array_like=True, gc=False):
    place: Place
    text: Number
    term: Number
    name: Number
    star: Number


class _Usage(msgspec.Struct, frozen=True, array_like=True, gc=False):
    how: Number
    detail: Number
    place: Place
    guards: Number


class _Use(msgspec.Struct, frozen=True, array_like=True, gc=False):
    kind: Number
    place: Place
    term: Number
    text: Number
    scope: Number
    name_place: Place | None
    arguments: tuple[_Argument, ...]
    guards: Number
    usages: tuple[_Usage, ...]
    alias: Number
    value: Number | None
    indirect: bool


class _Stored(msgspec.Struct, frozen=True, array_like=True, gc=False):
    api: ModuleApi
    analysis: FileAnalysis | None
    """Without its uses."""
    uses: tuple[_Use, ...]
    loose: tuple[_Use, ...]
    table: Table


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(_Stored)


def encoded(module: ConsumerModule) -> bytes:
    """A module for the store, or for another process."""
    analysis = module.analysis
    if analysis is None:
        return _ENCODER.encode(_Stored(module.api, None, (), (), Table((), ())))
    table = Writer(_SHARING)
    uses = tuple([_flat(use, table) for use in analysis.uses])
    loose = tuple([_flat(use, table) for use in analysis.loose])
    rest = msgspec.structs.replace(analysis, uses=(), loose=())
    return _ENCODER.encode(_Stored(module.api, rest, uses, loose, table.table()))


def decoded(data: bytes) -> ConsumerModule:
    """What was encoded.

    Raises:
        ValueError: It was not.
    """
    stored = _DECODER.decode(data)
    rest = stored.analysis
    if rest is None:
        return ConsumerModule(stored.api)
    values = _SHARING.values(stored.table)
    try:
        uses, loose = (tuple(_uses(flat, values, rest)) for flat in (stored.uses, stored.loose))
    except IndexError as error:
        raise ValueError(str(error)) from error
    return ConsumerModule(stored.api, msgspec.structs.replace(rest, uses=uses, loose=loose))


def _place(span: Span) -> Place:
    return span.line, span.column, span.end_line, span.end_column


def _flat(use: Use, table: Writer) -> _Use:
    number, plain = table.number, table.plain
    return _Use(
        plain(use.kind),
        _place(use.span),
        number(use.term),
        plain(use.text),
        plain(use.scope),
        _place(use.name_span) if use.name_span is not None else None,
        tuple(
            [
                _Argument(_place(a.span), plain(a.text), number(a.term), plain(a.name), plain(a.star))
                for a in use.arguments
            ]
        ),
        number(use.guards),
        tuple([_Usage(plain(u.how), plain(u.detail), _place(u.span), number(u.guards)) for u in use.usages]),
        plain(use.alias),
        number(use.value) if use.value is not None else None,
        use.indirect,
    )


def _uses(flat: Sequence[_Use], values: Sequence[Any], file: FileAnalysis) -> Iterator[Use]:
    path, module = file.path, file.module
    for use in flat:
        yield Use(
            values[use.kind],
            Span(path, *use.place),
            values[use.term],
            values[use.text],
            module,
            values[use.scope],
            Span(path, *use.name_place) if use.name_place is not None else None,
            tuple(
                [
                    Argument(Span(path, *a.place), values[a.text], values[a.term], values[a.name], values[a.star])
                    for a in use.arguments
                ]
            ),
            values[use.guards],
            tuple([Usage(values[u.how], values[u.detail], Span(path, *u.place), values[u.guards]) for u in use.usages]),
            values[use.alias],
            values[use.value] if use.value is not None else None,
            use.indirect,
        )
