from lib import fetch, store


async def mirror(url):
    await store(url)  # ok: still a coroutine
    return await fetch(url)  # expect[async-changed]
