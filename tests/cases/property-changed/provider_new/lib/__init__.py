"""Being ready has to be asked for, the size is there."""

from collections.abc import Callable
from functools import cached_property

from elsewhere import lazily


class Model:
    def ready(self) -> bool:
        return True

    @lazily
    def lazy(self) -> int:
        return 1

    @cached_property
    def always(self) -> int:
        return 1

    @property
    def size(self) -> int:
        return 1

    @property
    def factory(self) -> Callable[[], int]:
        return int

    def stays(self) -> int:
        return 1
