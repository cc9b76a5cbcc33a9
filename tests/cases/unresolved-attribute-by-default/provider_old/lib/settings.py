import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    LIB_NEW_ENGINE: bool = False
    LIB_FAST_STORE: bool = False

_table: dict[str, Callable[[], Any]] = {
    "LIB_NEW_ENGINE": lambda: bool(int(os.getenv("LIB_NEW_ENGINE", "0"))),
    "LIB_FAST_STORE": lambda: os.environ.get("LIB_FAST_STORE", "0").lower() in ("1", "true"),
}


def __getattr__(name: str) -> Any:
    if name in _table:
        return _table[name]()
    raise AttributeError(name)
