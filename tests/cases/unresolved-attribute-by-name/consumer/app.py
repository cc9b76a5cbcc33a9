from unittest import mock

import lib

limit = getattr(lib, "LIMIT")  # expect[unresolved-attribute]
perhaps = getattr(lib, "LIMIT", 3)  # ok: a default takes its place


def test():
    with mock.patch.object(lib, "gone"):  # expect[unresolved-attribute]
        pass
    with mock.patch.object(lib, "gone", create=True):  # ok: it need not be there
        pass


shared = None


def connect():
    global shared
    shared = lib.Base()


def send(*each: lib.Base, **named: lib.Base):
    shared.go()  # expect[unresolved-attribute]
    for one in each:
        one.go()  # expect[unresolved-attribute]
    named["x"].go()  # expect[unresolved-attribute]


def make():
    class Holder:
        def __init__(self):
            self.base = lib.Base()

        def send(self):
            self.base.go()  # expect[unresolved-attribute]
            self.stop()  # ok: its own

        def stop(self): ...

    return Holder
