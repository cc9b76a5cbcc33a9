from lib import Runner, Worker


class Mine(Worker):
    def load(self):  # expect[invalid-method-override]
        return None  # only a `Runner` is given `dummy`: a warning

    def stop(self):  # expect[invalid-method-override]
        return None  # a `Worker` is given `at_once`: an error

    def rest(self):  # expect[invalid-method-override]
        return None  # on whom `long` is called nobody can tell: an error, less sure


class Other(Runner):
    def load(self, *, dummy=False):  # ok: took it all along
        return None
