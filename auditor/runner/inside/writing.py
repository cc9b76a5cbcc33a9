"""The writer processes: each reads finished slots of the worker's memory, checks every sample and writes it."""

from __future__ import annotations

import importlib
import mmap
import os
import signal
import struct
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.runner.inside import life, samples
from auditor.runner.inside.plan import Prompt

POLL = 0.0005


@dataclass(frozen=True)
class Order:
    """One sample to be written: rows [start, stop) of every layer of a slot."""

    prompt: Prompt
    slot: int
    ticket: int
    start: int
    stop: int
    place: dict[str, Any]
    """As the worker's `hold` gave it, one layer's."""
    layers: int
    out: str
    sync: bool


def run(orders: Any, answers: Any) -> None:
    """Serve until an order is None."""
    life.die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    memory: _Shared | None = None
    while (order := orders.get()) is not None:
        if memory is None or memory.file != order.place["file"]:
            memory = _Shared(torch, order.place)
        answers.put((order.ticket, order.prompt.number, *_answer(torch, memory, order)))


def _answer(torch: Any, memory: _Shared, order: Order) -> tuple[int, float, tuple[str, str] | None]:
    """Size of the written sample and the seconds that it took, or kind and text of what went wrong."""
    try:
        return *_write(torch, memory, order), None
    except samples.BadSampleError as error:
        return 0, 0.0, ("bad-sample", str(error))
    except Exception as error:  # noqa: BLE001 - told to the driver, which stops the run
        return 0, 0.0, ("write", f"{type(error).__name__}: {error}")


class _Shared:
    """The worker's memory, mapped here."""

    def __init__(self, torch: Any, place: dict[str, Any]) -> None:
        self.file = place["file"]
        handle = os.open(self.file, os.O_RDWR)
        self.map = mmap.mmap(handle, place["size"])
        os.close(handle)
        self.bytes = torch.frombuffer(self.map, dtype=torch.uint8)

    def ticket(self, slot: int) -> int:
        found: int = struct.unpack_from("q", self.map, 8 * slot)[0]
        return found


def _write(torch: Any, memory: _Shared, order: Order) -> tuple[int, float]:
    place = order.place
    parent = os.getppid()
    while memory.ticket(order.slot) != order.ticket:
        time.sleep(POLL)
        if os.getppid() != parent:
            raise RuntimeError("the job has ended")
    begun = time.perf_counter()
    dtype = getattr(torch, place["dtype"].removeprefix("torch."))
    row, capacity, begin = place["row_bytes"], place["capacity"], place["start"]
    flags = begin + order.layers * capacity * row
    states = []
    for layer in range(order.layers):
        at = flags + layer * capacity
        if not bool(memory.bytes[at + order.start : at + order.stop].all()):
            raise samples.refuse(order.prompt, f"layer {layer} of those asked for is not finite")
        at = begin + layer * capacity * row
        view = memory.bytes[at + order.start * row : at + order.stop * row]
        states.append(view.clone().view(dtype).view(order.stop - order.start, place["width"]))
        samples.check_shape(order.prompt, layer, states[-1].shape)
    size = samples.save(torch, Path(order.out), order.prompt, states, sync=order.sync)
    return size, time.perf_counter() - begun
