__version__ = "2.0"


def f(a): ...


def g(a): ...
