class Executor:
    def __init__(self, vllm_config):
        self.vllm_config = vllm_config

    def execute_model(self, scheduler_output) -> list:
        return [scheduler_output]
