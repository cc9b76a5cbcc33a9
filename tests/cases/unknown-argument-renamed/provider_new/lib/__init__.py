"""The same limit, called `max_tokens`."""

from dataclasses import dataclass


@dataclass
class Params:
    n: int = 1
    max_tokens: int = 16
    temperature: float = 1.0


def make(n: int = 1, max_tokens: int = 16):
    return Params(n=n, max_tokens=max_tokens)
