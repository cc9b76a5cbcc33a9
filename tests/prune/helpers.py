import functools

import acme
from packaging.version import Version


def _at_least(wanted):
    """Whether acme is that new."""
    return Version(acme.__version__) >= Version(wanted)


def _is_new():
    return _at_least("2.0")


@functools.cache
def other():
    return 1


if _is_new():
    print(other())
if _at_least("2.10"):
    print("newest")
# --- becomes
import functools

import acme
from packaging.version import Version


def _at_least(wanted):
    """Whether acme is that new."""
    return Version(acme.__version__) >= Version(wanted)


@functools.cache
def other():
    return 1


print(other())
if _at_least("2.10"):
    print("newest")
