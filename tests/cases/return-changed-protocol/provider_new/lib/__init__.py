import contextlib
from collections.abc import Generator

import elsewhere


class Session:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        return None

    def get(self):
        return 1


class Pages:
    def __iter__(self):
        return iter(())


class Started:
    async def __aenter__(self):
        return 1

    async def __aexit__(self, *exc):
        return None


class Opened(elsewhere.Scope):
    pass


@contextlib.contextmanager
def limit(delay: float) -> Generator[int, None, None]:
    yield 1


def clock() -> float:
    return 0.0


def pages() -> Pages:
    return Pages()


def started() -> Started:
    return Started()


def opened() -> Opened:
    return Opened()


class URL:
    def replace(self, old, new):
        return self


def address() -> URL:
    return URL()


def token() -> str:
    return ""
