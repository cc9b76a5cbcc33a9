class Config:
    def __init__(self):
        self.size = 4


class Scheduler:
    def __init__(self, config):
        self.told = (config.size,)


def core(config):
    return Scheduler(config)
