import sys
from enum import IntEnum


def __getattr__(name):
    old = {"ANTIALIAS": "LANCZOS"}
    if name in old:
        return Resampling[old[name]]
    raise AttributeError(name)


class Resampling(IntEnum):
    LANCZOS = 1


module = sys.modules[__name__]
for item in Resampling:
    setattr(module, item.name, item.value)
