"""Each of the other kind."""

from collections.abc import AsyncIterator


def same() -> AsyncIterator[int]: ...


def stopped():
    yield 1


async def became():
    yield 1


async def lost() -> list[int]: ...
