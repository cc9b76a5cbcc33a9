from vllm import SamplingParams


def constrained(outputs):
    return SamplingParams(temperature=0.5, guided_decoding=outputs)  # expect[guided-decoding-argument]


def plain(outputs):
    return SamplingParams(structured_outputs=outputs)  # ok: the new argument
