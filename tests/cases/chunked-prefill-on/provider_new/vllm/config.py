from dataclasses import dataclass


@dataclass
class SchedulerConfig:
    max_model_len: int = 16
    max_num_seqs: int = 0
    enable_chunked_prefill: bool | None = True
