from lib import Executor


def run(executor: Executor):
    executor.call("a")[0]  # ok: unchanged
    executor.ask("a")  # ok: the reply is not used
    return executor.ask("a")[0]  # expect[return-changed]
