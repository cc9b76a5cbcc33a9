from lib import Session, address, clock, limit, opened, pages, started, token


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
    address().lstrip("/")  # expect[return-changed]
    address().replace("a", "b")  # ok: the new class has it as well
    token().decode()  # expect[return-changed]
    token().split()  # ok: both have it
    with opened() as it:  # ok: its base is not in the sources
        print(it)
