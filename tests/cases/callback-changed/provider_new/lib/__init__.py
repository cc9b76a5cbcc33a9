from collections.abc import Awaitable, Callable
from typing import Any

from .types import Done


def serve(ws_handler: Callable[[Any], Awaitable[None]], host: str | None = None):
    return ws_handler


def on_done(callback: Done | None = None):
    return callback


def watch(callback: Callable[..., None]):
    return callback
