from dataclasses import dataclass

from lib import Config


class Plain(Config):
    pass


@dataclass
class Wider(Config):
    mine: int = 2


@dataclass
class Own(Config):
    depth: int = 3


@dataclass
class Apart:
    size: int = 0


Plain(depth=2)  # expect[unknown-argument]
Plain(size=2)  # ok: still a field
Wider(depth=2)  # expect[unknown-argument]
Wider(1, 2, 3)  # expect[too-many-positional-arguments]
Wider(size=1, mine=2)  # ok: still fields
Own(depth=2)  # ok: a field of its own
Apart(depth=2)  # ok: wrong from the start, and no class of the library
