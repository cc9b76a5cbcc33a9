"""What keywords there are is written down."""


def join(left, right, op="inner", how=None):
    return left, right, op, how


def draw(figure, colour=None):
    return figure, colour


def fetch(name, retries=0, proxies=None):
    return name, retries, proxies
