import inspect

from lib import Config, Scheduler

_TAKES_BLOCK_SIZE = "block_size" in inspect.signature(Scheduler).parameters


def main():
    config = Config()
    return Scheduler(config=config, **({"block_size": config.size} if _TAKES_BLOCK_SIZE else {})).told
