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
