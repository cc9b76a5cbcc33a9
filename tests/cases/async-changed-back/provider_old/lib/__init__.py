"""Fetching is a coroutine."""


async def fetch(url: str) -> str:
    return url


async def store(url: str) -> str:
    return url
