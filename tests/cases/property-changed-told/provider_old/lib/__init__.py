class Moment:
    @property
    def stamp(self):
        return 1

    @property
    def naive(self):
        return self

    def floor(self):
        return self


class Factory:
    def __init__(self, type=Moment):
        self.type = type

    def now(self):
        return self.type()


_factory = Factory()


def now():
    return _factory.now()


def thing():
    return _factory.now()
