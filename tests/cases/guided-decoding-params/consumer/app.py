from vllm.sampling_params import GuidedDecodingParams  # expect[guided-decoding-params]
from vllm.sampling_params import StructuredOutputsParams as Outputs  # ok: the new name

try:
    from vllm.sampling_params import GuidedDecodingParams as Params  # ok: there is another way
except ImportError:
    from vllm.sampling_params import StructuredOutputsParams as Params


def constraint(regex):
    return GuidedDecodingParams(regex=regex), Outputs(regex=regex), Params(regex=regex)
