from vllm import LLM


def run(model, ids):
    llm = LLM(model=model)
    return llm.generate(prompt_token_ids=ids, sampling_params=None)  # expect[prompt-token-ids]


def text(model, prompts):
    return LLM(model=model).generate(prompts)  # ok: passes prompts
