from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.v1.engine.async_llm import AsyncLLM


def arguments(model):
    return AsyncEngineArgs(model=model, disable_log_requests=True)  # expect[disable-log-requests]


def engine(config, quiet, silent):
    return AsyncLLM.from_vllm_config(config, disable_log_requests=quiet or silent)  # expect[disable-log-requests]


def talking(model):
    return AsyncEngineArgs(model=model, enable_log_requests=True)  # ok: the new argument
