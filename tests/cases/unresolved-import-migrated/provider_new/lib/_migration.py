"""What became of the names of earlier releases."""

import sys
from importlib import import_module

MOVED = {"lib:check": "lib.tools:check", "lib:parse": "lib.tools:parse"}
REMOVED = {"lib:Text"}


def migrated(module):
    def wrapper(name):
        path = f"{module}:{name}"
        if path in MOVED.keys():
            where, _, target = MOVED[path].partition(":")
            return getattr(import_module(where), target)
        if path == "lib:Settings":
            raise ImportError("`Settings` has a package of its own now")
        if path in REMOVED:
            raise ImportError(f"`{path}` has been removed")
        names = sys.modules[module].__dict__
        if name in names:
            return names[name]
        raise AttributeError(name)

    return wrapper
