import os

from packaging.version import InvalidVersion, Version, parse

import lib

OLD = Version(lib.__version__) < Version("2.0")


def at_least(wanted):
    return parse(lib.__version__) >= parse(wanted)


def is_old():
    return not at_least("2.0")


FORCED = os.getenv("APP_LIB_VERSION")


def is_exactly(wanted):
    """Whether the library has this version; an environment variable may say otherwise."""
    if FORCED is not None:
        current = FORCED
    else:
        import lib as library

        current = library.__version__
    try:
        return Version(current) == Version(wanted)
    except InvalidVersion:
        raise ValueError(f"{current} is no version")
