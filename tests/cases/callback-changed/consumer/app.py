import functools

from lib import on_done, serve, watch


async def with_path(socket, path):
    await socket.send(path)


async def alone(socket):
    await socket.send("")


async def either(socket, path=None):
    await socket.send(path or "")


class App:
    def done(self, result):
        return result

    def run(self):
        on_done(callback=self.done)  # expect[callback-changed]
        on_done(callback=print)  # ok: not the consumer's own
        on_done(functools.partial(self.done, 1))  # ok: what is left to fill cannot be told


serve(with_path, "host")  # expect[callback-changed]
serve(alone, "host")  # ok: it could be called with one before
serve(either, "host")  # ok: it takes one as well
watch(with_path)  # ok: called with any arguments
