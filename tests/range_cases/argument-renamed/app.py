import lib


def main():
    return lib.fetch("a", timeout=3)
