import lib

if hasattr(lib, "connect"):
    link = lib.connect()
else:
    link = lib.Link().open()
