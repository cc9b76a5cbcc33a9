"""Whatever is left of the keywords is refused; a decorator takes out what was given up."""

from .compat import without_old_ones


def join(left, right, predicate="inner", **kwargs):
    how = kwargs.pop("how", None)
    if kwargs:
        first = next(iter(kwargs))
        raise TypeError(f"join() got an unexpected keyword argument {first!r}")
    return left, right, predicate, how


def draw(figure, **kwargs):
    for name in figure.properties:
        kwargs.pop(name, None)
    if kwargs:
        raise TypeError(kwargs)
    return figure


@without_old_ones
def fetch(name):
    return name
