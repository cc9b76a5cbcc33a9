from lib import Engine


class Counter:
    def count_tokens(self, text):
        return 0


def run(engine: Engine, counter: Counter):
    engine.encode("a")  # ok: still there
    counter.count_tokens("a")  # ok: the consumer's own class
    return engine.count_tokens("a")  # expect[unresolved-attribute]
