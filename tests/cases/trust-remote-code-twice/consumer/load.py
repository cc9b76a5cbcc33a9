from transformers import AutoConfig, AutoTokenizer

import lib


def load(path, trust):
    lib.f()
    tokenizer = AutoTokenizer.from_pretrained(path)  # expect[trust-remote-code-twice]
    return tokenizer, AutoConfig.from_pretrained(path, trust_remote_code=trust)


def two(path, other):
    tokenizer = AutoTokenizer.from_pretrained(path)  # ok: of another model
    return tokenizer, AutoConfig.from_pretrained(other, trust_remote_code=True)


def plain(path):
    return AutoTokenizer.from_pretrained(path), AutoConfig.from_pretrained(path, trust_remote_code=False)  # ok: refused
