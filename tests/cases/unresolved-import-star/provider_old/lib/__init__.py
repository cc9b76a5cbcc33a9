"""Everything is public."""

LIMIT = 1


class Gone:
    pass


def stays(*args):
    return args


def hidden():
    return 1
