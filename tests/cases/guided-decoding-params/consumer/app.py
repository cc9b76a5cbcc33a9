from vllm.sampling_params import GuidedDecodingParams  # expect[guided-decoding-params]
from vllm.sampling_params import StructuredOutputsParams as Outputs  # ok: the new name


def constraint(regex):
    return GuidedDecodingParams(regex=regex), Outputs(regex=regex)
