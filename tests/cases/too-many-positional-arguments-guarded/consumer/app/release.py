from packaging.version import Version, parse

import lib

OLD = Version(lib.__version__) < Version("2.0")


def at_least(wanted):
    return parse(lib.__version__) >= parse(wanted)


def is_old():
    return not at_least("2.0")
