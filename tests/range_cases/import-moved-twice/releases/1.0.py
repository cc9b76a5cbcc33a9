def cdiv(a, b):
    return -(-a // b)


def stays():
    return None
