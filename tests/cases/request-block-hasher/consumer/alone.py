from vllm.config import CacheConfig
from vllm.v1.request import Request


def make(ids):
    return Request("alone", ids)  # expect[request-block-hasher]


def config():
    return CacheConfig(enable_prefix_caching=False)  # ok: says what it wants
