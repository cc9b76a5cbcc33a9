class LLM:
    def __init__(self, model):
        self.model = model

    def generate(self, prompts, sampling_params=None):
        return []
