from lib import Config, Scheduler


def main():
    config = Config()
    return Scheduler(config=config).told
