class Runner:
    def load(self, *, dummy=False):
        return dummy


class Worker:
    def __init__(self):
        self.runner = Runner()

    def load(self):
        self.runner.load(dummy=True)

    def stop(self):
        return None

    def rest(self):
        return None
