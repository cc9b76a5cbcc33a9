import lib

try:
    import lib.extra  # expect[unresolved-import]

    HAS_EXTRA = True
except ImportError:
    HAS_EXTRA = False

HAS_GONE = False
try:
    lib.gone  # ok: read only to see whether it is there
except AttributeError:
    pass
else:
    HAS_GONE = True

try:
    import lib.extra  # expect[unresolved-import]

    EITHER = True
except ImportError:
    EITHER = True

if HAS_EXTRA:
    lib.extra.x  # ok: it was imported
    lib.other(1)  # ok: not with a release that lacks `lib.extra`
else:
    lib.other(1)  # expect[unresolved-attribute]

if EITHER:
    lib.other(1)  # expect[unresolved-attribute]


def early():
    if not HAS_GONE:
        return lib.other(1)  # expect[unresolved-attribute]
    return lib.gone(1)  # ok: it is there


def shadowed(HAS_GONE):
    return lib.gone(1) if HAS_GONE else None  # expect[unresolved-attribute]
