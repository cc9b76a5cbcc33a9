class AsyncLLM:
    @classmethod
    def from_vllm_config(cls, vllm_config, disable_log_requests: bool = False):
        return cls()
