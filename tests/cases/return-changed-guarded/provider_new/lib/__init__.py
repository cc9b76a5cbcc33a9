"""One reply comes bare."""


class Executor:
    def call(self, name: str, only: int | None = None) -> list[str]:
        return [name]

    def ask(self, name: str, bare: bool = True) -> str | None:
        return name
