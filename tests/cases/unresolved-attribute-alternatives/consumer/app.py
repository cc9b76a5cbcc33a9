import lib
from lib import Frame, read

read("x").append(1)  # expect[unresolved-attribute]
read("x").close()  # ok: the other alternative still has it
read("x").total()  # ok: still a method


def column(frame: Frame):
    frame["a"].pairs()  # expect[unresolved-attribute]
    frame["a"].price  # ok: a column, which the class never defined
    return lib.float_  # expect[unresolved-attribute]


def kind():
    return lib.float64  # ok: its stub still names it
