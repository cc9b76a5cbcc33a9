from lib import became, lost, same, stopped


async def run():
    async for x in same():  # ok: an asynchronous generator as before
        print(x)
    async for x in stopped():  # expect[async-changed]
        print(x)
    for x in became():  # expect[async-changed]
        print(x)
    async for x in lost():  # expect[async-changed]
        print(x)
    return became()  # ok: handed on
