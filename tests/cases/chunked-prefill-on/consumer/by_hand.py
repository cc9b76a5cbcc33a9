from vllm.config import SchedulerConfig
from vllm.v1.core.sched.scheduler import Scheduler


def explicit():
    return SchedulerConfig(max_model_len=32, max_num_seqs=4, enable_chunked_prefill=True)  # ok: says what it wants


class Driver:
    def __init__(self, config, kv_cache_config):
        config.scheduler_config = SchedulerConfig(  # expect[chunked-prefill-on, default-changed]
            max_model_len=32,
        )
        self.scheduler = Scheduler(config, kv_cache_config)
