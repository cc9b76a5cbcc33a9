from lib import Connector


class Mine(Connector):  # expect[missing-abstract-method]
    def send(self, data):
        return data


class Whole(Connector):  # ok: has both
    def send(self, data):
        return data

    def close(self):
        return None
