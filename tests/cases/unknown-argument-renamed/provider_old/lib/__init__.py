"""A limit called `max_len`."""

from dataclasses import dataclass


@dataclass
class Params:
    n: int = 1
    max_len: int = 16
    temperature: float = 1.0


def make(n: int = 1, max_len: int = 16):
    return Params(n=n, max_len=max_len)
