"""Generators of both kinds."""

from collections.abc import AsyncIterator


async def same():
    yield 1


async def stopped():
    yield 1


def became():
    yield 1


def lost() -> AsyncIterator[int]: ...
