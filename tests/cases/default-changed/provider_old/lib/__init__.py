"""Caching is off unless asked for."""


def load(path, cache=False, retries=3):
    return (path, cache, retries)


def save(path, sync=5):
    return (path, sync)
