"""Replies come as a list."""


class Executor:
    def call(self, name: str, only: int | None = None) -> list[str]:
        return [name]

    def ask(self, name: str) -> list[str]:
        return [name]

    def bounds(self, full=False):
        if full:
            return 1, 2, 3
        return 1, 3
