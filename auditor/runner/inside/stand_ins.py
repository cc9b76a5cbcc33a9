"""Answers the two CUDA calls of the generator where there is no CUDA; belongs to the job, never to a patch."""

from __future__ import annotations

import os
from typing import Any

FREE = 2 << 30
"""What the stand-in says is free; a fraction of it becomes the KV cache."""


def prepare_environment() -> None:
    """Settings that must stand before vLLM is imported; whatever the user has set stays."""
    os.environ.setdefault("VLLM_WORKER_MULTIPROC_METHOD", "spawn")
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


def stand_in_for_cuda(torch: Any) -> bool:
    """Give `torch.cuda` answers on a machine without CUDA; says whether that was needed."""
    if torch.cuda.is_available():
        return False
    torch.cuda.mem_get_info = lambda *_args, **_named: (FREE, FREE)
    torch.cuda.empty_cache = lambda: None
    return True
