import functools
import os

import acme
from packaging.version import InvalidVersion, Version


@functools.cache
def acme_is(wanted):
    if os.environ.get("ACME_VERSION") is not None:
        found = os.environ.get("ACME_VERSION")
    else:
        found = acme.__version__
    try:
        return Version(found) == Version(wanted)
    except InvalidVersion:
        raise ValueError("set ACME_VERSION") from None


if acme_is("1.4.2"):
    print("old")
else:
    print("new")
if acme_is("2.0"):
    print("this one stays")
# --- becomes
import functools
import os

import acme
from packaging.version import InvalidVersion, Version


@functools.cache
def acme_is(wanted):
    if os.environ.get("ACME_VERSION") is not None:
        found = os.environ.get("ACME_VERSION")
    else:
        found = acme.__version__
    try:
        return Version(found) == Version(wanted)
    except InvalidVersion:
        raise ValueError("set ACME_VERSION") from None


print("new")
if acme_is("2.0"):
    print("this one stays")
