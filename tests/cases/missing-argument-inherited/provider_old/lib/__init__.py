from elsewhere import BaseModel


class Sampler:
    def __init__(self) -> None:
        self.kind = "base"


class Layer:
    def __init__(self) -> None:
        self.kind = "layer"


def fast(count):
    return count


def slow(count):
    return count


class Message(BaseModel):
    text: str
    kind: str

    def __init__(self, text, **kwargs):
        super().__init__(text=text, **kwargs)
