"""Width comes first."""


def box(width, height, depth=1):
    return (width, height, depth)


def line(start, end):
    return (start, end)
