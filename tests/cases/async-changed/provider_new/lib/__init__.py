"""Fetching became a coroutine."""

from collections.abc import AsyncIterable, Awaitable, Iterable
from typing import overload


async def fetch(url: str) -> str:
    return url


def store(url: str) -> str:
    return url


@overload
def first(items: AsyncIterable[str]) -> Awaitable[str]: ...


@overload
def first(items: Iterable[str]) -> str: ...


def first(items):
    return _first(items) if hasattr(items, "__aiter__") else next(iter(items))


async def _first(items):
    return await anext(items)
