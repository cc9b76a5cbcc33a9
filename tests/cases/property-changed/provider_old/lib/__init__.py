"""A model that is ready or not."""


class Model:
    @property
    def ready(self) -> bool:
        return True

    @property
    def lazy(self) -> int:
        return 1

    @property
    def always(self) -> int:
        return 1

    def size(self) -> int:
        return 1

    def factory(self) -> int:
        return 1

    def stays(self) -> int:
        return 1
