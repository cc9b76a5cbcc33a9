from lib import Layer, Message, Sampler, fast, slow


class Mine(Sampler):
    def sample(self) -> int:
        return 1


class Own(Sampler):
    def __init__(self) -> None:
        self.kind = "own"


inherited = Mine()  # expect[missing-argument]
own = Own()  # ok: it has a constructor of its own


def build(sparse: bool) -> object:
    cls = Mine if sparse else Layer
    return cls()  # expect[missing-argument]


def run(quick: bool) -> int:
    function = fast if quick else slow
    return function(1)  # ok: both still take one argument


def old_or_new() -> int:
    try:
        from lib.newer import total
    except ImportError:
        from lib.older import total
    return total(1)  # ok: the other function stands in only where this one does not exist


def told(text: str) -> Message:
    return Message(text)  # ok: the field was there before, and by whose leave it was lacking cannot be told
