from pydantic import BaseModel


class Sampler:
    def __init__(self, logits) -> None:
        self.kind = "base"


class Layer:
    def __init__(self) -> None:
        self.kind = "layer"


def fast(count):
    return count


def slow(count, steps=1):
    return count


class Message(BaseModel):
    text: str
    kind: str

    def __init__(self, text, **kwargs):
        super().__init__(text=text, **kwargs)
