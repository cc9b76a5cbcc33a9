class Request:
    def __init__(self, name):
        self.told = (name,)


def load_path(path):
    return path
