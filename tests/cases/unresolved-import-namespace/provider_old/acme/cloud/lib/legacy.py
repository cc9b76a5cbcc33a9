def connect(name):
    return name
