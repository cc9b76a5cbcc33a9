from lib import types
from lib.types import *

__all__ = ["zeros"]


def zeros():
    return 0


def extend_all(module):
    for name in module.__all__:
        if name not in __all__:
            __all__.append(name)


extend_all(types)
