class Request:
    def __init__(self, name, pool):
        self.told = (name, pool)
