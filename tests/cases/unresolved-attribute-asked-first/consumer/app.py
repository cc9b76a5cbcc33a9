import sys
from functools import lru_cache

import lib

lib.gone(1)  # expect[unresolved-attribute]


def by_dir():
    if "gone" in dir(lib):
        lib.gone(1)  # ok: asked for
    if "gone" not in dir(lib):
        return lib.other(1)  # expect[unresolved-attribute]
    return lib.gone(1)  # ok: asked for


def by_getattr():
    if callable(getattr(lib, "gone", None)):
        lib.gone(1)  # ok: asked for
    if getattr(lib, "kept", None) is None:
        lib.other(1)  # expect[unresolved-attribute]
    if getattr(lib, "gone", None) is None:
        return None
    return lib.gone(1)  # ok: asked for


@lru_cache
def has_gone():
    return hasattr(lib, "gone")


def by_helper():
    if has_gone():
        lib.gone(1)  # ok: asked for by the helper
    else:
        lib.other(1)  # expect[unresolved-attribute]


def has(lib):
    return hasattr(lib, "gone")


def by_helper_about_another():
    if has(sys):
        lib.gone(1)  # expect[unresolved-attribute]


def by_probe():
    try:
        lib.gone  # ok: read only to see whether it is there
    except AttributeError:
        return lib.kept(1)
    return lib.gone(1)  # ok: it was there


def by_probe_else():
    try:
        lib.gone  # ok: read only to see whether it is there
    except AttributeError:
        pass
    else:
        lib.gone(1)  # ok: it was there
    lib.gone(1)  # expect[unresolved-attribute]


def either():
    try:
        chosen = lib.gone  # ok: another function takes its place
    except AttributeError:
        chosen = lib.kept
    return chosen(1)


def by_import():
    try:
        import lib.extra  # expect[unresolved-import]
    except ImportError:
        return None
    return lib.extra.x  # ok: it was imported


def demanded():
    try:
        import lib.extra  # expect[unresolved-import]
    except ImportError:
        raise RuntimeError("install lib") from None
    return lib.gone(1)  # expect[unresolved-attribute]


def never():
    if False:
        lib.gone(1)  # ok: never runs
    if sys.version_info < (3, 8):
        lib.gone(1)  # ok: no Python of today
    elif not 0:
        lib.other(1)  # expect[unresolved-attribute]
    while 0:
        lib.gone(1)  # ok: never runs
    if sys.version_info >= (3, 12):
        lib.gone(1)  # expect[unresolved-attribute]
    return lib.gone(1) if False else None  # ok: never runs


if __name__ == "__main__":
    lib.gone(1)  # expect[unresolved-attribute]
