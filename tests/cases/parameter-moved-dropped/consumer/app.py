from lib import Alias, Keeps, Model, Own, Strict


def run():
    Model(x=1)  # ok: a field
    Model(x=1, gone=2)  # expect[parameter-moved]
    Own(1, gone=2)  # expect[parameter-moved]
    Strict(gone=2)  # expect[unknown-argument]
    Alias(xx=1)  # expect[missing-argument]
    print(Strict(x=1).gone)  # expect[unresolved-attribute]
    print(Keeps().gone)  # expect[unresolved-attribute]
    kept = Keeps(gone=1)  # expect[parameter-moved]
    return kept.gone  # ok: such a model keeps what it is given
