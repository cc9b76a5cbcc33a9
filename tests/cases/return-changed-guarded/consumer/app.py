import inspect

from lib import Executor

PLAIN = "bare" in inspect.signature(Executor.ask).parameters


def run(executor: Executor):
    reply = executor.ask("a")
    if not PLAIN:
        print(reply[0])  # ok: only where the reply is a list
    other = executor.ask("b")
    print(other[0])  # expect[return-changed]
    return reply if PLAIN else reply[0]  # ok: only where the reply is a list
