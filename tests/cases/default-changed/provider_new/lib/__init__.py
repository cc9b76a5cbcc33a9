"""Caching is on unless declined."""


def load(path, cache=True, retries=3):
    return (path, cache, retries)


def save(path, sync=5.0):
    return (path, sync)
