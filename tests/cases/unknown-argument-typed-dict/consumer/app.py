from typing import TypedDict

import lib


class Settings(TypedDict):
    width: int
    depth: int


class Narrow(TypedDict, total=False):
    width: int


def configure(settings: Settings) -> None:
    lib.draw(**settings)  # expect[unknown-argument]


def narrow(settings: Narrow) -> None:
    lib.draw(**settings)  # ok: it has nothing that is not taken


lib.join("a", ";")  # expect[parameter-moved]
lib.join("a", sep=";")  # ok: by name it still lands there

try:
    lib.draw(depth=1)  # ok: where it fails, another function does it
except TypeError:
    lib.paint(1)
