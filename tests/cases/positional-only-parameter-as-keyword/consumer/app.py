from lib import clamp


def half(x):
    clamp(x, low=0)  # ok: by position
    return clamp(value=x / 2)  # expect[positional-only-parameter-as-keyword]
