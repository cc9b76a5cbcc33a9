from collections.abc import Callable

Done = Callable[[int, str], None]
