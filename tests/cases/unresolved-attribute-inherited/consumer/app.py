from lib import Base, Model


class Sub(Base):
    limit: int

    def run(self):
        self.keep()  # ok: still there
        return self.hook()  # expect[unresolved-attribute]


class Own(Base):
    def hook(self):  # expect[invalid-method-override]
        return 1

    def run(self):
        return self.hook()  # ok: defined here


class Template(Base):
    def run(self):
        return self.hook()  # ok: never an object itself, and every class below has it


class Filled(Template):
    def hook(self):  # expect[invalid-method-override]
        return 2


def start(sub: Sub, filled: Filled):
    print(sub.flag, sub.size)  # expect[unresolved-attribute, unresolved-attribute]
    filled.hook()  # ok: its own
    return Sub().hook()  # expect[unresolved-attribute]


class Fitted(Base):
    def width(self, table):
        self.check(table)
        return self.columns  # ok: a function of the provider sets it on what it is given


def written(model: Model):
    Model().generate()  # expect[unresolved-attribute]
    return model.generate()  # ok: the models below it still have it
