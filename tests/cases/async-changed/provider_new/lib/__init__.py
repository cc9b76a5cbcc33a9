"""Fetching became a coroutine."""


async def fetch(url: str) -> str:
    return url


def store(url: str) -> str:
    return url
