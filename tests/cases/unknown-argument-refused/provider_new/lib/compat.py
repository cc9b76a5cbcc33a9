"""What old arguments become."""

from functools import wraps


def without_old_ones(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **_cleaned(kwargs))

    return wrapper


def _cleaned(kwargs):
    kept = dict(kwargs)
    kept.pop("proxies", None)
    return kept
