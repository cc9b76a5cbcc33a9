import lib


def write(path):
    return lib.load(path, strict=True, mode="w")  # expect[new-raise]


def read(path):
    return lib.load(path, mode="w")  # ok: `strict` is left out, so the new case cannot arise
