from lib import Pair, by_name, by_number, make, names, pairs


def run():
    names()[0]  # expect[return-changed]
    by_number()[0]  # ok: its keys are numbers
    found = names()
    len(found)  # ok: works with either
    for name in names():  # expect[return-changed]
        print(name)
    names().append("x")  # expect[return-changed]
    by_name()["a"]  # expect[return-changed]
    by_name().items()  # expect[return-changed]
    pairs()[0]  # ok: a list as before
    x, y = Pair(1, 2)  # expect[return-changed]
    made = make()
    x, y = made  # expect[return-changed]
    return made.x, x, y  # ok: read by name
