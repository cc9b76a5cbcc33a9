"""One thing moved, one is gone."""


def stays():
    return None
