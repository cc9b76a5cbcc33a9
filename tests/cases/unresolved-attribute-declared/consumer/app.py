from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lib import Config
else:
    Config = None


def limits(config: Config) -> int:
    inner = config.inner
    return inner.chunked + inner.length + inner.size  # expect[unresolved-attribute, unresolved-attribute]


def made(config: Config) -> int:
    return config.inner.size  # ok: still kept, as a field with a default


def kept(config: Config) -> int:
    return config.inner.start  # ok: an `InitVar` with a default stays on the class
