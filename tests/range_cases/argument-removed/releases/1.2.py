class Request:
    def __init__(self, name, *, priority):
        self.told = (name, priority)
