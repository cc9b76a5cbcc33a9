class Request:
    def __init__(self, name, eos, pool):
        self.told = (name, eos, pool)
