class Cache:
    def __init__(self, size=1, eager=False, **rest):
        self.size, self.eager, self.rest = size, eager, rest


class Plain:
    def __init__(self, rows):
        self.rows = rows
