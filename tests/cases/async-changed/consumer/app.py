from lib import fetch, first, store


def mirror(url):
    store(url)  # ok: still synchronous
    first(url)  # ok: awaited only where it is given something asynchronous
    fetch(url)  # expect[async-changed]
