import os

import acme
from packaging.version import Version

DEBUG = False
NEW = Version(acme.__version__) >= Version("2.0")
if os.environ.get("OLD"):
    NEW = False
if NEW:
    print("may have been switched off")
if DEBUG:
    print("has nothing to do with acme")
if os.environ.get("X") and Version(acme.__version__) < Version("2.0") and (found := input()):
    print("what is asked of the environment stays")


def is_new():
    if os.environ.get("OLD"):
        return False
    return Version(acme.__version__) >= Version("2.0")


if is_new():
    print("as may this")


class Mine(acme.Engine):
    def go(self, other):
        if hasattr(self, "speed"):
            print("of what it cannot know")
        if hasattr(other, "run"):
            print("neither")
