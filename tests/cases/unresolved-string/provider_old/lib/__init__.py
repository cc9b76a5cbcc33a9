"""Things that are named by path."""


def load(worker_cls):
    return worker_cls


class Worker:
    pass


class Kept:
    pass
