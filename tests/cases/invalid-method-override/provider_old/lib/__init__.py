"""A runner that calls `step` with one argument."""


class Runner:
    def step(self, batch):
        return batch

    def stop(self):
        return None

    def run(self, batches):
        return [self.step(batch) for batch in batches]
