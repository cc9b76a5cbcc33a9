class Request:
    def __init__(self, name, eos):
        self.told = (name, eos)


def load_file(path):
    return path
