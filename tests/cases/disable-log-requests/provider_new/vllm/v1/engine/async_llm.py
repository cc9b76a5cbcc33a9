class AsyncLLM:
    @classmethod
    def from_vllm_config(cls, vllm_config, enable_log_requests: bool = False):
        return cls()
