"""Replies come as a list."""


class Executor:
    def call(self, name: str, only: int | None = None) -> list[str]:
        return [name]

    def ask(self, name: str) -> list[str]:
        return [name]
