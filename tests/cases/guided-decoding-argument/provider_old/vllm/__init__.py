from vllm.sampling_params import SamplingParams
