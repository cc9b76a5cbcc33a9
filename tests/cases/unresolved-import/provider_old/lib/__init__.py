"""Everything in one place."""


def cdiv(a, b):
    return -(-a // b)


def gone():
    return None


def stays():
    return None
