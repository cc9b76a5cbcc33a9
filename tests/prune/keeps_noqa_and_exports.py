import acme  # noqa: F401
from packaging.version import Version, parse

__all__ = ["Version", "old"]

if parse(acme.__version__) < Version("2"):
    old = True
else:
    old = False
# --- becomes
import acme  # noqa: F401
from packaging.version import Version

__all__ = ["Version", "old"]

old = False
