class Link:
    def send(self, text): ...


def connect() -> Link:
    return Link()
