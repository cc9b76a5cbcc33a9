from lib._importer import importer

_import = importer(__file__)


def __getattr__(name):
    return _import(name)
