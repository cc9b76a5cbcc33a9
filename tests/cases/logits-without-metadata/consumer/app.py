from vllm.model_executor.layers.logits_processor import LogitsProcessor


class Talker:
    def __init__(self, size):
        self.processor = LogitsProcessor(size)

    def logits(self, head, hidden, metadata):
        return self.processor(head, hidden, metadata)  # expect[logits-without-metadata]

    def biased(self, head, hidden, bias):
        return self.processor(head, hidden, embedding_bias=bias)  # ok: the bias is meant
