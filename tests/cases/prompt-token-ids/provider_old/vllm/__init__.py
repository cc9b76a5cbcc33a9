from vllm.entrypoints.llm import LLM
