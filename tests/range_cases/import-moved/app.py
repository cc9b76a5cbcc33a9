from lib import cdiv


def main():
    return cdiv(3, 2)
