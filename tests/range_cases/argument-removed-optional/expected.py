from lib import load


def main():
    return load("a")
