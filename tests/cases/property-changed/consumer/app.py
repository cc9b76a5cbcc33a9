from lib import Model


class Mine(Model):
    def size(self):  # expect[invalid-method-override]
        return 2


def run(model: Model, mine: Mine):
    model.stays()  # ok: a method as before
    print(model.always)  # ok: a property as before
    if model.ready:  # expect[property-changed]
        return model.size()  # expect[property-changed]
    mine.size()  # ok: its own
    model.factory()  # ok: the property gives something to call
    return model.lazy  # ok: nobody knows what the decorator makes of it
