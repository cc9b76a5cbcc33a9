from lib import fetch, store


def mirror(url):
    store(url)  # ok: still synchronous
    fetch(url)  # expect[async-changed]
