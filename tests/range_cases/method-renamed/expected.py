from lib import Engine


def main():
    engine = Engine()
    return (engine.count_all_tokens if hasattr(engine, "count_all_tokens") else engine.count_tokens)("a"), engine.encode("b")
