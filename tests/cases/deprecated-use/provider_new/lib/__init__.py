"""The old way is deprecated now."""


def old_way(x):
    import warnings

    warnings.warn("`old_way` is deprecated, use `new_way`", DeprecationWarning, stacklevel=2)
    return x


def always_deprecated(x):
    import warnings

    warnings.warn("use `new_way`", DeprecationWarning, stacklevel=2)
    return x


def new_way(x):
    return x
