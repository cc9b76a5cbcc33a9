from vllm.config import SchedulerConfig


def plain():
    return SchedulerConfig(max_model_len=32, max_num_seqs=4)  # expect[default-changed]
