import sys
from enum import IntEnum


class Resampling(IntEnum):
    LANCZOS = 1


module = sys.modules[__name__]
for item in Resampling:
    setattr(module, item.name, item.value)
