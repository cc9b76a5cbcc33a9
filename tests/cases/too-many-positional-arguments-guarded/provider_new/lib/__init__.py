__version__ = "2.0"
VERSION = __version__


def f(a): ...


def g(a): ...
