"""Where `cdiv` is now."""


def cdiv(a, b):
    return -(-a // b)
