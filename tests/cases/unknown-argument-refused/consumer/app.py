import lib


def together(left, right):
    lib.join(left, right)  # ok: nothing is left
    lib.join(left, right, how="left")  # expect[deprecated-argument]
    return lib.join(left, right, op="within")  # expect[unknown-argument]


def shown(figure):
    return lib.draw(figure, colour="red")  # expect[parameter-moved]


def loaded(name):
    lib.fetch(name, proxies={})  # expect[deprecated-argument]
    return lib.fetch(name, retries=3)  # expect[unknown-argument]
