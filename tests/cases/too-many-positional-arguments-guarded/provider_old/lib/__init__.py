__version__ = "1.4"
VERSION = __version__


def f(a, b=0): ...


def g(a, b=0): ...
