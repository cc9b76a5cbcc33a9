"""One class, and the others on demand."""


class Group:
    def __init__(self, *args): ...


def __getattr__(name):
    import warnings

    if name == "Moved":
        from lib.core import Moved

        return Moved
    if name == "BaseCommand":
        from lib.core import _BaseCommand

        warnings.warn("'BaseCommand' is deprecated, use 'Command'.", DeprecationWarning, stacklevel=2)
        return _BaseCommand
    if name == "MultiCommand":
        from lib.core import _MultiCommand

        warnings.warn("'MultiCommand' is deprecated, use 'Group'.", DeprecationWarning, stacklevel=2)
        return _MultiCommand
    raise AttributeError(name)
