try:
    from lib.math import cdiv
except ImportError:
    from lib import cdiv


def main():
    return cdiv(3, 2)
