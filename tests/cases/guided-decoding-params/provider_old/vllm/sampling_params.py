from dataclasses import dataclass


@dataclass
class StructuredOutputsParams:
    regex: str | None = None
    json: str | None = None


class GuidedDecodingParams(StructuredOutputsParams):
    pass


class SamplingParams:
    def __init__(self, temperature=1.0, guided_decoding=None, structured_outputs=None):
        self.structured_outputs = structured_outputs or guided_decoding
