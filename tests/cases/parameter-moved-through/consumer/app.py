import lib


def connected(user, password):
    lib.connect(host="here", user=user, password=password, port=1)  # ok: by name
    return lib.connect("here", user, password)  # expect[parameter-moved]


def word():
    return lib.words("abc")  # ok: the same parameter, spelled in another style
