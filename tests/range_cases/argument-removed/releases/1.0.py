class Request:
    def __init__(self, name, *, priority, eos):
        self.told = (name, priority, eos)
