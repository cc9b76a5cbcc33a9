from lib import Runner


class Mine(Runner):
    def step(self, batch):  # expect[invalid-method-override]
        return batch * 2


class Other:
    def step(self, batch):  # ok: no runner
        return batch
