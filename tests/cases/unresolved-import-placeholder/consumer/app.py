try:
    from lib import fast  # ok: something else is done where it is None
except ImportError:
    fast = None

try:
    from lib import extra  # expect[unresolved-import]
except ImportError:
    extra = None

from lib import load


def run(path):
    if extra is not None:
        extra(path, 2)
    if fast is None:
        return load(path, mode="plain")  # ok: the other release's way
    else:
        return fast(path)  # ok: not reached where there is none
