from __future__ import annotations

from .core import *
from .rows import Cell


class Frame:
    def __getattr__(self, name):
        if name in self.columns:
            return self[name]
        return object.__getattribute__(self, name)

    def __getitem__(self, name) -> Series | Cell:
        return self.columns[name]

    def total(self):
        return 0


class Series:
    def __getattr__(self, name):
        return object.__getattribute__(self, name)


class Reader:
    def close(self):
        return None


def read(path) -> Frame | Reader:
    return Frame()


_GONE = {"float_": "float64"}


def __getattr__(name):
    if name in _GONE:
        raise AttributeError(name)
    raise AttributeError(name)
