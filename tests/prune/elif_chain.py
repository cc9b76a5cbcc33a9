import os

import acme
from packaging.version import Version

MODERN = Version(acme.__version__) >= Version("2")


def choose(name):
    # which one
    if name == "a":
        return 1
    # very old releases
    elif not MODERN:
        return 2
    elif name == "b" and MODERN:
        return os.sep
    elif MODERN:  # now
        # ever since
        return acme.fast()
    else:
        return 4
# --- becomes
import os

import acme


def choose(name):
    # which one
    if name == "a":
        return 1
    elif name == "b":
        return os.sep
    else:
        # ever since
        return acme.fast()
