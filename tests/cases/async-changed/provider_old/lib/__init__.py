"""Everything is synchronous."""


def fetch(url: str) -> str:
    return url


def store(url: str) -> str:
    return url


def first(items):
    return next(iter(items))
