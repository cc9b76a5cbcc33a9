from lib import Cache, Plain


def configure():
    Cache(4, rows=2)  # expect[default-changed]
    return Plain(rows=2)  # ok: its base registers it and leaves its constructor alone
