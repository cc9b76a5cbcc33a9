class Moment:
    def stamp(self) -> float:
        return 1.0

    def floor(self) -> "Moment":
        return self


class Factory:
    def __init__(self, type=Moment):
        self.type = type

    def now(self):
        return self.type()


_factory = Factory()


def now() -> Moment:
    return _factory.now()


def thing():
    return _factory.now()
