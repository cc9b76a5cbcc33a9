import acme
from packaging import version


def run(engine):
    engine.run("hello")
    # acme 1.4 forgot to flush
    if version.parse(acme.__version__) < version.parse("1.4"):
        engine.flush()

    return engine
# --- becomes
def run(engine):
    engine.run("hello")

    return engine
