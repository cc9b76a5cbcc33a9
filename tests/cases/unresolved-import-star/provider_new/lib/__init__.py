"""Less is public."""

__all__ = ["stays"]


def stays(*args):
    return args


def hidden():
    return 1
