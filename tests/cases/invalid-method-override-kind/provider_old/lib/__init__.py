"""What others build on."""

from collections.abc import AsyncGenerator, Awaitable


class Base:
    @property
    def ready(self) -> bool:
        return True

    def size(self) -> int:
        return 1

    async def load(self, path): ...

    def save(self, path): ...

    def stays(self) -> int:
        return 1

    def steps(self) -> AsyncGenerator[int, None]: ...

    def handed(self, path) -> Awaitable[str]: ...
