class Request:
    def __init__(self, name, secret):
        self.told = (name, secret)
