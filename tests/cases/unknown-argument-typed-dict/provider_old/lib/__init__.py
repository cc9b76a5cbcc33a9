def draw(width=1, depth=1):
    return width * depth


def join(first, sep=",", *rest):
    return sep.join([first, *rest])


def paint(depth):
    return depth
