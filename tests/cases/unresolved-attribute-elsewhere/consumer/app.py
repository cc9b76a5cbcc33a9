import lib

lock = lib.FileLock("a")
lock.acquire()  # ok: the class inherits from another package now, where the method may be

reader = lib.Reader()
reader.rewind()  # expect[unresolved-attribute]


def colours(name):
    try:
        return lib.maps[name]
    except AttributeError:
        return lib.get_map(name)  # ok: `lib.maps` is there, so this does not run


def shades(name):
    try:
        return lib.shades[name]
    except AttributeError:
        return lib.get_map(name)  # expect[unresolved-attribute]
