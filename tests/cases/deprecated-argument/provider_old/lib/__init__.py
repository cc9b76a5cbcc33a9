"""A writer with a `size`."""


def deprecate_kwarg(old, new):
    def decorate(function):
        def wrapper(*args, **kwargs):
            if old in kwargs:
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return wrapper

    return decorate


def write(path, size=0):
    return (path, size)


def read(path, size=0):
    return (path, size)
