from vllm.v1.core.sched.scheduler import Scheduler


class Driver:
    def __init__(self, config, kv_cache_config):
        self.scheduler = Scheduler(config, kv_cache_config)  # expect[scheduler-block-size]


def other(config, kv_cache_config, block_size):
    made = Scheduler(config, kv_cache_config=kv_cache_config)  # expect[scheduler-block-size]
    return made, block_size


def spread(options):
    return Scheduler(**options)  # ok: what is passed cannot be seen
