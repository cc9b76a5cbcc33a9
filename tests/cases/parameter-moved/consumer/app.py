from lib import box, line


def crate(w, h):
    line(w, h)  # ok: nothing moved
    box(width=w, height=h)  # ok: by name
    return box(w, h)  # expect[parameter-moved]
