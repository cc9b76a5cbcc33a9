from . import _compiled


def __getattr__(name):
    return getattr(_compiled, name)
