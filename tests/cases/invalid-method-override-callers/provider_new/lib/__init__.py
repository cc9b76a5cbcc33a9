class Runner:
    def load(self, *, dummy=False):
        return dummy


class Worker:
    def __init__(self):
        self.runner = Runner()

    def load(self, *, dummy=False):
        self.runner.load(dummy=dummy)

    def stop(self, at_once=False):
        return at_once

    def rest(self, long=False):
        return long


class Engine:
    def __init__(self, worker: Worker, anything):
        self.worker = worker
        self.anything = anything

    def shutdown(self):
        self.worker.stop(at_once=True)
        self.anything.rest(long=True)
