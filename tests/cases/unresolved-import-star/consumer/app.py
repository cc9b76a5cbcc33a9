from contextlib import suppress

from common import *

here = 1


class Mine(Gone):  # expect[unresolved-import]
    pass


def run(local):
    stays(local, here)  # ok: still there
    print(never_was)  # ok: never there
    hidden()  # expect[unresolved-import]
    return LIMIT  # expect[unresolved-import]


def own(LIMIT):
    return LIMIT  # ok: a parameter


def asked():
    with suppress(NameError):
        print(LIMIT)  # expect[unresolved-import]
