from collections.abc import Callable

Done = Callable[[int], None]
