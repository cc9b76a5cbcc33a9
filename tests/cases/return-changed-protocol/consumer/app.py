from lib import clock, limit, opened, pages, Session, started


async def run():
    async with limit(5):  # expect[return-changed]
        pass
    with limit(5):  # ok: works with either
        pass
    await clock()  # expect[async-changed]
    clock() + 1  # ok: a number as before
    with Session() as session:  # expect[return-changed]
        session.get()
    async with Session() as session:  # ok: entered as before
        session.get()
    found = pages()
    len(found)  # expect[return-changed]
    for page in pages():  # ok: still iterable
        print(page)
    async with started() as it:  # ok: an asynchronous context manager by another name
        print(it)
    with opened() as it:  # ok: its base is not in the sources
        print(it)
