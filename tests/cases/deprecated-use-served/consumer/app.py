import lib
from lib import Group, Moved
from lib import MultiCommand as Many  # expect[deprecated-use]


def run():
    Group(Moved, Many)  # ok: nothing warns of it
    lib.Moved()  # ok: served without a warning
    return lib.BaseCommand()  # expect[deprecated-use]
