from lib import Params


def local(max_len):
    return max_len


def serve():
    local(max_len=3)  # ok: our own function
    Params(n=1, temperature=0.5)  # ok: nothing renamed is named
    return Params(n=1, max_len=64)  # expect[unknown-argument]
