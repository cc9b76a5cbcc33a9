class Request:
    def __init__(self, name):
        self.told = (name,)
