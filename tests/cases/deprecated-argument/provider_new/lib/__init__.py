"""A writer with a `length`, that still understands `size`."""


def deprecate_kwarg(old, new):
    def decorate(function):
        def wrapper(*args, **kwargs):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return wrapper

    return decorate


@deprecate_kwarg("size", "length")
def write(path, length=0):
    return (path, length)


def read(path, size=0):
    return (path, size)
