from lib import Config, Queue, Scheduler


def make(config: Config, options: dict):
    Queue(size=3)  # ok: nothing changed here
    Scheduler(config, **options)  # ok: the argument may be in the dict
    return Scheduler(config=config, log=True)  # expect[missing-argument]
