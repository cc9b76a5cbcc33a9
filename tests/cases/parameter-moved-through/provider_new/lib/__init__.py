"""The class itself makes connections, and names have one style."""


class Connection:
    def __init__(self, user=None, password="", host=None, *, port=0):
        self.told = host, user, password, port


connect = Connection


def words(init_chars="", body_chars=None, *, initChars=None):
    return initChars or init_chars, body_chars
