"""A stand-in for a captured tensor: remembers which of its rows were asked for, while the bytes take another way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class UnforeseenError(Exception):
    """The generator does something with a captured tensor that the stand-in cannot follow."""


@dataclass(frozen=True)
class Rows:
    """Rows [start, stop) of one layer of one slot; it takes being sliced, cloned and moved, and nothing else."""

    place: dict[str, Any]
    start: int
    stop: int

    @property
    def shape(self) -> tuple[int, int]:
        return (self.stop - self.start, int(self.place["width"]))

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, part: Any) -> Rows:
        if not isinstance(part, slice) or part.step not in (None, 1):
            raise UnforeseenError("captured states were indexed by something else than a range of rows")
        start, stop, _ = part.indices(len(self))
        return Rows(self.place, self.start + start, self.start + max(start, stop))

    def clone(self) -> Rows:
        """The same rows."""
        return self

    cpu = contiguous = detach = clone

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnforeseenError(f"`.{name}` was asked of captured states; run with --pipeline plain")


def from_reply(reply: Any) -> Any:
    """The executor's reply with every description of a layer as `Rows`; lists keep their nesting, whatever it is."""
    if isinstance(reply, dict):
        if reply.get("overflow"):
            raise UnforeseenError("captured states are larger than a scheduler step allows")
        return Rows(reply, 0, reply["rows"])
    if isinstance(reply, list | tuple):
        return type(reply)(from_reply(item) for item in reply)
    return reply
