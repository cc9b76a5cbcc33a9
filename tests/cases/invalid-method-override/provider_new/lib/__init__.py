"""A runner that calls `step` with two arguments."""


class Runner:
    def step(self, batch, scale):
        return batch

    def stop(self):
        return None

    def run(self, batches):
        return [self.step(batch, 2) for batch in batches]
