from lib import Engine


def main():
    engine = Engine()
    return engine.count_tokens("a"), engine.encode("b")
