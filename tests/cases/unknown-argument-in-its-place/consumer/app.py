from lib import beta, count, length, quiet, removed


def run():
    count(1, 2)  # expect[parameter-moved]
    count(1, num_items=5)  # expect[unknown-argument]
    beta(1, b=3)  # expect[unknown-argument]
    length(1, max_model_len=5)  # expect[missing-argument, unknown-argument]
    quiet(1, disable_log=True)  # expect[unknown-argument]
    removed(1, last=5)  # ok: taken as before
    removed(1, extra=5)  # expect[unknown-argument]
