from collections.abc import Awaitable, Callable
from typing import Any, Optional, Union

from .types import Done


def serve(
    ws_handler: Union[Callable[[Any], Awaitable[Any]], Callable[[Any, str], Awaitable[Any]]], host: Optional[str] = None
):
    return ws_handler


def on_done(callback: Optional[Done] = None):
    return callback


def watch(callback: Callable[[Any, str], None]):
    return callback
