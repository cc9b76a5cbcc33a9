class Executor:
    def __init__(self, vllm_config):
        self.vllm_config = vllm_config

    def execute_model(self, scheduler_output) -> list | None:
        if self.vllm_config.pipelined:
            return None
        return [scheduler_output]

    def sample_tokens(self, grammar_output) -> list:
        return [grammar_output]
