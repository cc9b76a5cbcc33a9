from vllm.model_executor.models.interfaces import SupportsMultiModal


class KimiK25ForConditionalGeneration(SupportsMultiModal):
    def __init__(self, language_model):
        self.language_model = language_model
