LIMIT = 3


def gone(): ...


class Base:
    def go(self): ...
