"""Height comes first."""


def box(height, width, depth=1):
    return (width, height, depth)


def line(start, end):
    return (start, end)
