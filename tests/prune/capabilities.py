import inspect

import acme

_PARAMETERS = inspect.signature(acme.Engine.__init__).parameters


def engine(seed):
    kwargs = {}
    if "seed" in _PARAMETERS:
        kwargs["seed"] = seed
    if hasattr(acme, "fast"):
        acme.fast()
    if "gone" in inspect.signature(acme.Engine).parameters:
        kwargs["gone"] = 1
    return acme.Engine("m", **kwargs)
# --- becomes
import acme


def engine(seed):
    kwargs = {}
    kwargs["seed"] = seed
    acme.fast()
    return acme.Engine("m", **kwargs)
