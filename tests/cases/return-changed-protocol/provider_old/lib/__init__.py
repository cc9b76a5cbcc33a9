import contextlib


class Clock(float):
    def __await__(self):
        yield
        return float(self)


class Scope:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        return None


class Session:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        return None

    def get(self):
        return 1


class Pages:
    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0


def limit(delay: float) -> Scope:
    return Scope()


def clock() -> Clock:
    return Clock(0)


def pages() -> Pages:
    return Pages()


@contextlib.asynccontextmanager
async def started():
    yield 1


def opened() -> Scope:
    return Scope()


def address() -> str:
    return ""


def token() -> bytes:
    return b""
