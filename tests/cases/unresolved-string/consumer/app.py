from lib import load


def run():
    load(worker_cls="lib.Kept")  # ok: still there
    load(worker_cls="lib.is.a word")  # ok: not a path
    return load(worker_cls="lib.Worker")  # expect[unresolved-string]
