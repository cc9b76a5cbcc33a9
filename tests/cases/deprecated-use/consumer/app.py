from lib import always_deprecated, new_way, old_way


def run(x):
    always_deprecated(x)  # ok: it was before
    new_way(x)  # ok: it is not
    return old_way(x)  # expect[deprecated-use]
