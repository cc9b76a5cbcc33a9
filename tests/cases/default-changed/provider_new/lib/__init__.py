"""Caching is on unless declined."""


def load(path, cache=True, retries=3):
    return (path, cache, retries)


def save(path, sync=0.50):
    return (path, sync)
