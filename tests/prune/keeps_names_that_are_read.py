import acme

if not hasattr(acme, "fast"):
    limit = 3


def f(flag):
    if flag:
        return limit
    if not hasattr(acme, "fast"):
        yield 1
