class LLM:
    def __init__(self, model):
        self.model = model

    def generate(self, prompts=None, sampling_params=None, prompt_token_ids=None):
        return []
