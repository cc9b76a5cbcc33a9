import lib

lib.other = lib.kept if hasattr(lib, "kept") else None  # expect[unresolved-attribute]

if not hasattr(lib, "gone"):
    lib.gone = lib.kept  # ok: set because the release lacks it


def use():
    lib.gone(1)  # ok: it was brought above


def patch():
    if not hasattr(lib, "third"):
        lib.another = lib.kept
    return lib.third(1)  # expect[unresolved-attribute]
