"""Nothing is deprecated."""


def old_way(x):
    return x


def always_deprecated(x):
    import warnings

    warnings.warn("use `new_way`", DeprecationWarning, stacklevel=2)
    return x


def new_way(x):
    return x
