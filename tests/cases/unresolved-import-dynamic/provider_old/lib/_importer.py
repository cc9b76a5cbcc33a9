import importlib


def importer(file):
    def load(name):
        return getattr(importlib.import_module(file + name), name)

    return load
