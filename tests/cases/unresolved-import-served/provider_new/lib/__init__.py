from typing import TYPE_CHECKING

from lib import windows
from lib.helpers import lazy_import
from lib.numeric import *

if TYPE_CHECKING:
    from lib.client import connect
else:
    lazy_import(globals(), aliases={"connect": ".client"})


def _deprecated(name):
    return getattr(windows, name)


for name in ("boxcar",):
    locals()[name] = _deprecated(name)
