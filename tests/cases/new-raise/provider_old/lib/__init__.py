def load(path, strict=False, mode="r"):
    if not path:
        raise ValueError("no path")
    return open(path, mode)
