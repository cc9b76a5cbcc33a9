class Config:
    def __init__(self):
        self.size = 4


class Scheduler:
    def __init__(self, config, block_size):
        self.told = (config.size, block_size)


def core(config):
    return Scheduler(config=config, block_size=config.size)
