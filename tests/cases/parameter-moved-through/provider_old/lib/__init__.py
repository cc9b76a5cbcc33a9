"""Connections are made by a function that stands for the class."""


class Connection:
    def __init__(self, host=None, user=None, password="", port=0):
        self.told = host, user, password, port


def connect(*args, **kwargs):
    """Make a connection."""
    return Connection(*args, **kwargs)


def words(initChars="", bodyChars=None):
    return initChars, bodyChars
