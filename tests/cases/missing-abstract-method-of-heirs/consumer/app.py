from lib import Worker


class Middle(Worker):  # ok: never made into an object, and every class below it has the method
    def load(self):
        return None


class Complete(Middle):
    def stop(self):
        return None


class Used(Worker):  # expect[missing-abstract-method]
    def load(self):
        return None


class Better(Used):
    def stop(self):
        return None


class Alone(Worker):  # expect[missing-abstract-method]
    def load(self):
        return None


def start():
    return Complete(), Used(), Better()
