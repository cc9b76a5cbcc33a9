"""The same members as other kinds."""

from collections.abc import AsyncGenerator


class Base:
    def ready(self) -> bool:
        return True

    @property
    def size(self) -> int:
        return 1

    def load(self, path): ...

    async def save(self, path): ...

    def stays(self) -> int:
        return 1

    async def steps(self) -> AsyncGenerator[int, None]:
        yield 1

    async def handed(self, path) -> str: ...
