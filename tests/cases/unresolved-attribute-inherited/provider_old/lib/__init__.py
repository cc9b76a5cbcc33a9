"""A base class with a hook, a flag and a size."""


class Base:
    flag = 1

    def __init__(self):
        self.size = 3

    def hook(self):
        return None

    def keep(self):
        return None

    def check(self, table):
        self.columns = len(table)


class Generates:
    def generate(self):
        return "text"


class Model(Generates):
    def forward(self):
        return 1


class Llama(Model):
    pass
