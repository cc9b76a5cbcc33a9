from importlib.metadata import version

import acme


def run(prompt):
    """Runs it."""
    if tuple(map(int, version("acme").split("+")[0].split(".")[:2])) >= (2, 0):
        return acme.fast(prompt)
    engine = acme.Engine("m")
    return engine.run(prompt)


def again(items):
    for item in items:
        if int(acme.__version__.split(".")[0]) < 2:
            continue
        yield item
# --- becomes
import acme


def run(prompt):
    """Runs it."""
    return acme.fast(prompt)


def again(items):
    for item in items:
        yield item
