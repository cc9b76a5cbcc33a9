"""Reading and writing the parameter list of a function definition."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from auditor.fixes._lists import Listing


def every(parameters: cst.Parameters) -> Iterator[cst.Param]:
    """All parameters in source order, `*args` and `**kwargs` included."""
    yield from parameters.posonly_params
    yield from parameters.params
    if isinstance(parameters.star_arg, cst.Param):
        yield parameters.star_arg
    yield from parameters.kwonly_params
    if parameters.star_kwarg is not None:
        yield parameters.star_kwarg


def find(parameters: cst.Parameters, name: str) -> cst.Param | None:
    """The parameter of that name."""
    return next((p for p in every(parameters) if p.name.value == name), None)


def add(node: cst.FunctionDef, new: cst.Param, *, keyword_only: bool) -> cst.FunctionDef:
    """The function with one more parameter: after the positional ones, or after the keyword-only ones."""
    parameters = node.params
    slash = [parameters.posonly_ind] if isinstance(parameters.posonly_ind, cst.ParamSlash) else []
    star = [parameters.star_arg] if isinstance(parameters.star_arg, cst.Param | cst.ParamStar) else []
    kwarg = [parameters.star_kwarg] if parameters.star_kwarg is not None else []
    front = [*parameters.posonly_params, *slash, *parameters.params]
    items = Listing.read([*front, *star, *parameters.kwonly_params, *kwarg], node.whitespace_before_params)
    end = len(front) + len(star) + len(parameters.kwonly_params)
    if keyword_only:
        items.insert(end, new)
        if not star:
            items.insert(end, cst.ParamStar())
    else:
        items.insert(len(front), new)
    return _written(node, items, keyword_only=keyword_only)


def _written(node: cst.FunctionDef, items: Listing, *, keyword_only: bool) -> cst.FunctionDef:
    old = node.params
    rest = items.written()
    take = rest.pop
    positional_only = [take(0) for _ in old.posonly_params]
    slash = take(0) if isinstance(old.posonly_ind, cst.ParamSlash) else cst.MaybeSentinel.DEFAULT
    plain = [take(0) for _ in range(len(old.params) + (not keyword_only))]
    star = (
        take(0)
        if rest and (isinstance(rest[0], cst.ParamStar) or old.star_arg is not cst.MaybeSentinel.DEFAULT)
        else None
    )
    kwarg = take() if old.star_kwarg is not None else None
    parameters = old.with_changes(
        posonly_params=positional_only,
        posonly_ind=slash,
        params=plain,
        star_arg=cst.MaybeSentinel.DEFAULT if star is None else star,
        kwonly_params=rest,
        star_kwarg=kwarg,
    )
    return node.with_changes(params=parameters, whitespace_before_params=items.gaps[0])
