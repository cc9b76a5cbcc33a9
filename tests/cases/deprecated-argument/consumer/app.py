from lib import read, write


def copy(path):
    read(path, size=3)  # ok: another function
    write(path, 3)  # ok: by position
    return write(path, size=3)  # expect[deprecated-argument]
