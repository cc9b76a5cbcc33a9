"""What the job runs inside vLLM's worker processes: copies hidden states out while the GPU goes on, and times it.

The functions get the worker as their first argument (`collective_rpc` of a callable). Only the first rank holds states.
A slot of the shared memory belongs to the worker from `hold` until the last copy has set the slot's ticket; then the
writer processes read it.
"""

from __future__ import annotations

import importlib
import mmap
import os
import time
from typing import Any

HEADER = 4096
SLOTS = 3
"""Batches under way at once: one being computed, one being copied, one being written."""

_state: dict[str, Any] = {}


def watch(worker: Any) -> dict[str, Any]:
    """Time every forward of the captured model from now on; says where the worker's code comes from."""
    extension = _inner(worker)
    torch = importlib.import_module("torch")
    model = extension.model_runner.model
    captured = [module for module in model.modules() if "_extension" in vars(module)]
    target = captured[0] if captured else model
    clock = _Clock(torch)
    _state["clock"] = clock
    original = target.forward

    def timed(*args: Any, **named: Any) -> Any:
        begun = clock.mark()
        result = original(*args, **named)
        clock.add(begun, clock.mark())
        return result

    target.forward = timed
    origins = {
        base.__module__: importlib.import_module(base.__module__).__file__ for base in type(extension).__mro__[:-1]
    }
    return {"origins": origins, "pid": os.getpid()}


def hold(worker: Any, slot: int, ticket: int, budget: int) -> list[dict[str, Any]] | None:
    """Take the captured states, start their copies into a slot, and reply at once with what they are."""
    extension = _inner(worker)
    states = extension._get_captured_states()
    if not states:
        return None
    torch = importlib.import_module("torch")
    rows, width = states[0].shape
    item = states[0].element_size()
    if "memory" not in _state:
        _state["memory"] = _Memory(torch, len(states), max(budget, rows), width * item, states[0].is_cuda)
    memory: _Memory = _state["memory"]
    if rows > memory.rows or any(state.shape != states[0].shape for state in states):
        return [{"rows": state.shape[0], "overflow": True} for state in states]
    memory.take(slot, ticket, states)
    _state["clock"].drain()
    dtype = str(states[0].dtype)
    return [
        {"layer": number, "rows": rows, "width": width, "dtype": dtype, **memory.place(slot)}
        for number in range(len(states))
    ]


def report(worker: Any) -> dict[str, Any]:
    """How long the model computed and how long copies ran beside it; the first of each, a warm-up, is left out."""
    del worker
    found: dict[str, Any] = _state["clock"].report()
    if "memory" in _state:
        found["copying"] = _state["memory"].clock.report()["busy"]
    torch = importlib.import_module("torch")
    if torch.cuda.is_available():
        free, total = torch.cuda.mem_get_info()
        found["memory"] = {"peak": torch.cuda.max_memory_allocated(), "free": free, "total": total}
        found["device"] = torch.cuda.get_device_name()
    return found


def _inner(worker: Any) -> Any:
    """The object with the extension's methods, whatever wraps it."""
    return getattr(worker, "worker", None) or worker


class _Memory:
    """Shared memory in slots: a header with a ticket for each slot, then the layers and a flag for each row."""

    def __init__(self, torch: Any, layers: int, rows: int, row_bytes: int, cuda: bool) -> None:
        self.torch, self.layers, self.rows, self.row_bytes = torch, layers, rows, row_bytes
        self.clock = _Clock(torch)
        self.slot_bytes = -(-(layers * rows * (row_bytes + 1)) // HEADER) * HEADER
        self.size = HEADER + SLOTS * self.slot_bytes
        self.handle = os.memfd_create("api-audit-states")  # vanishes with the last process that has it
        os.ftruncate(self.handle, self.size)
        self.map = mmap.mmap(self.handle, self.size)
        self.bytes = torch.frombuffer(self.map, dtype=torch.uint8)
        self.tickets = self.bytes[: 8 * SLOTS].view(torch.int64)
        self.stream = None
        if cuda:
            self.stream = torch.cuda.Stream()
            # Registered memory is what makes the copies run beside the model; without it they are right but slow.
            self.pinned = int(torch.cuda.cudart().cudaHostRegister(self.bytes.data_ptr(), self.size, 0)) == 0

    def place(self, slot: int) -> dict[str, Any]:
        """Where other processes find a slot."""
        return {
            "file": f"/proc/{os.getpid()}/fd/{self.handle}",
            "size": self.size,
            "start": HEADER + slot * self.slot_bytes,
            "capacity": self.rows,
            "row_bytes": self.row_bytes,
        }

    def take(self, slot: int, ticket: int, states: list[Any]) -> None:
        """Copy everything, then the flags, then the ticket, in this order."""
        if self.stream is None:
            self._copy(slot, states)
            self.tickets[slot] = ticket
            return
        self.clock.drain()
        cuda = self.torch.cuda
        mark = self.torch.tensor([ticket], dtype=self.torch.int64, device=states[0].device)
        self.stream.wait_stream(cuda.current_stream())
        with cuda.stream(self.stream):
            self._copy(slot, states)
            self.tickets[slot : slot + 1].copy_(mark, non_blocking=True)
        for tensor in (*states, mark):
            tensor.record_stream(self.stream)

    def _copy(self, slot: int, states: list[Any]) -> None:
        begun = self.clock.mark()
        start = HEADER + slot * self.slot_bytes
        rows = states[0].shape[0]
        flags = start + self.layers * self.rows * self.row_bytes
        for number, state in enumerate(states):
            at = start + number * self.rows * self.row_bytes
            source = state.contiguous().view(self.torch.uint8).view(-1)
            self.bytes[at : at + rows * self.row_bytes].copy_(source, non_blocking=True)
            finite = self.torch.isfinite(state).all(dim=1).to(self.torch.uint8)
            at = flags + number * self.rows
            self.bytes[at : at + rows].copy_(finite, non_blocking=True)
        self.clock.add(begun, self.clock.mark())


class _Clock:
    """Adds up how long forwards take on the device."""

    def __init__(self, torch: Any) -> None:
        self.torch, self.cuda = torch, torch.cuda.is_available()
        self.open: list[tuple[Any, Any]] = []
        self.first: Any = None
        self.last: Any = None
        self.count, self.busy = 0, 0.0

    def mark(self) -> Any:
        """A point in time: on the GPU's stream where there is one."""
        if not self.cuda:
            return time.perf_counter()
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def add(self, begun: Any, ended: Any) -> None:
        """One forward."""
        self.open.append((begun, ended))

    def drain(self, *, everything: bool = False) -> None:
        """Add up the forwards that are over."""
        while self.open and (everything or not self.cuda or self.open[0][1].query()):
            begun, ended = self.open.pop(0)
            if self.cuda:
                ended.synchronize()
            self.count += 1
            if self.count == 1:
                continue
            self.first = self.first or begun
            self.last = ended
            self.busy += self._between(begun, ended)

    def _between(self, begun: Any, ended: Any) -> float:
        return float(begun.elapsed_time(ended) / 1000 if self.cuda else ended - begun)

    def report(self) -> dict[str, Any]:
        """Seconds computing and seconds passed, from the second forward to the last."""
        self.drain(everything=True)
        span = self._between(self.first, self.last) if self.first is not None else 0.0
        return {"forwards": self.count, "busy": self.busy, "span": span}
