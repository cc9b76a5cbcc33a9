import os

import lib
from lib.engine import Engine
from lib.store import Store
from lib.tools import Reader

os.environ["LIB_FAST_STORE"] = "0"


def of_an_alias() -> int:
    engine = Engine()
    return engine.core  # expect[unresolved-attribute]


class Server:
    def __init__(self) -> None:
        self.engine = lib.Client.from_settings({})

    def tokenizer(self) -> str:
        return self.engine.tokenizer  # expect[unresolved-attribute]


def set_by_hand() -> int:
    return Store().rows  # ok: this program sets the variable itself


def never_the_default() -> int:
    return Reader().lines  # ok: the other class stands only where the variable is set, as before
