from lib import (
    Settings,  # expect[unresolved-import]
    Text,  # expect[unresolved-import]
    check,  # ok: served from where it is now
    parse,
)


@check
def read(text: Text, settings: Settings):
    return parse(kind=int, value=text), settings  # expect[unknown-argument]
