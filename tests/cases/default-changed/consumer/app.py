from lib import load, save


def copy(path):
    save(path)  # ok: the same value, spelled otherwise
    load(path, cache=False)  # ok: the value is given
    return load(path)  # expect[default-changed]
