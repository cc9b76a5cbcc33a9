def load(path, strict=False, mode="r"):
    if not path:
        raise ValueError("a path is needed")
    if strict and mode != "r":
        raise ValueError("strict reading only")
    return open(path, mode)
