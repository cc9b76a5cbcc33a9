"""Two ways from generator to disk: `plain`, one after the other; `staged`, copied and written beside the model."""

from __future__ import annotations

import multiprocessing
import queue
import time
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import Any

from auditor.runner.inside import samples, worker, writing
from auditor.runner.inside.plan import Prompt
from auditor.runner.inside.rows import Rows, from_reply

CAPTURED = "_get_captured_states"
"""The worker method by which the generator fetches what was captured."""
Told = Callable[[int, int, int], None]
"""Called with number, tokens and bytes of each written sample. Those in `there` are computed, for the others of their
batch depend on them, and not written again."""


class WriteError(Exception):
    """A sample could not be written."""


class Plain:
    """The generator's own path: states come back by its RPC, are sliced, moved and written before the next batch."""

    def __init__(self, torch: Any, generator: Any, out: Path, told: Told, *, there: Container[int], sync: bool) -> None:
        self.torch, self.generator, self.out, self.told, self.sync = torch, generator, out, told, sync
        self.there = there
        self.waited = self.writing = 0.0
        self.form: dict[str, Any] = {}

    def run(self, prompts: Sequence[Prompt]) -> None:
        """One batch, to the disk."""
        results = self.generator.generate([prompt.tokens for prompt in prompts])
        begun = time.perf_counter()
        for prompt, result in _paired(prompts, results):
            if prompt.number in self.there:
                continue
            states = [state.contiguous() for state in result["hidden_states"]]
            self.form = {"dtype": str(states[0].dtype), "width": states[0].shape[-1], "layers": len(states)}
            for number, state in enumerate(states):
                samples.check_shape(prompt, number, state.shape)
                if not bool(self.torch.isfinite(state).all()):
                    raise samples.refuse(prompt, f"layer {number} of those asked for is not finite")
            size = samples.save(self.torch, self.out, prompt, states, sync=self.sync)
            self.told(prompt.number, len(prompt.tokens), size)
        self.waited += time.perf_counter() - begun
        self.writing = self.waited

    def finish(self) -> None:
        """Nothing is left to do."""

    def close(self) -> None:
        """Nothing is held."""


class Staged:
    """States are copied into shared memory beside the next batch's computation, and written by other processes."""

    def __init__(
        self, generator: Any, out: Path, told: Told, *, budget: int, writers: int, there: Container[int], sync: bool
    ) -> None:
        self.generator, self.out, self.told, self.budget, self.sync = generator, out, told, budget, sync
        self.there = there
        context = multiprocessing.get_context("spawn")
        self.orders: Any = context.Queue()
        self.answers: Any = context.Queue()
        arguments = (self.orders, self.answers)
        self.writers = [context.Process(target=writing.run, args=arguments, daemon=True) for _ in range(writers)]
        for process in self.writers:
            process.start()
        self.ticket = 0
        self.open: dict[int, int] = {}
        """Ticket -> samples of it that are not written yet."""
        self.slots: dict[int, int] = {}
        """Slot -> ticket that it holds."""
        self.tokens: dict[int, int] = {}
        self.waited = self.writing = 0.0
        self.form: dict[str, Any] = {}
        self.call = generator.executor.collective_rpc
        generator.executor.collective_rpc = self._rpc

    def _rpc(self, method: Any, *arguments: Any, **named: Any) -> Any:
        if method != CAPTURED:
            return self.call(method, *arguments, **named)
        self.ticket += 1
        slot = self.ticket % worker.SLOTS
        begun = time.perf_counter()
        while self.open.get(self.slots.get(slot, 0)):
            self._listen(wait=True)
        self.waited += time.perf_counter() - begun
        self.slots[slot] = self.ticket
        named["args"] = (slot, self.ticket, self.budget)
        return from_reply(self.call(worker.hold, *arguments, **named))

    def run(self, prompts: Sequence[Prompt]) -> None:
        """One batch, into the hands of the writers."""
        results = self.generator.generate([prompt.tokens for prompt in prompts])
        slot = self.ticket % worker.SLOTS
        pairs = [pair for pair in _paired(prompts, results) if pair[0].number not in self.there]
        orders = [self._order(prompt, result, slot) for prompt, result in pairs]
        self.open[self.ticket] = len(orders)
        for order in orders:
            self.tokens[order.prompt.number] = len(order.prompt.tokens)
            self.orders.put(order)
        self._listen(wait=False)

    def _order(self, prompt: Prompt, result: dict[str, Any], slot: int) -> writing.Order:
        states = result["hidden_states"]
        for number, rows in enumerate(states):
            if not isinstance(rows, Rows):
                raise samples.refuse(prompt, f"layer {number} came by another way than the staged one")
            samples.check_shape(prompt, number, rows.shape)
            if (rows.start, rows.stop, rows.place["layer"]) != (states[0].start, states[0].stop, number):
                raise samples.refuse(prompt, "its layers are cut differently")
        first: Rows = states[0]
        out = str(self.out)
        layers = len(states)
        self.form = {"dtype": first.place["dtype"], "width": first.place["width"], "layers": layers}
        return writing.Order(prompt, slot, self.ticket, first.start, first.stop, first.place, layers, out, self.sync)

    def _listen(self, *, wait: bool) -> None:
        """Take the writers' answers; with `wait` at least one."""
        while True:
            try:
                answer = self.answers.get(timeout=1) if wait else self.answers.get_nowait()
            except queue.Empty:
                if any(not process.is_alive() for process in self.writers):
                    raise WriteError("a writer process has died") from None
                if wait:
                    continue
                return
            ticket, number, size, seconds, failure = answer
            self.writing += seconds
            if failure:
                kind, message = failure
                raise samples.BadSampleError(message) if kind == "bad-sample" else WriteError(message)
            self.told(number, self.tokens.pop(number), size)
            self.open[ticket] -= 1
            if not self.open[ticket]:
                del self.open[ticket]
            wait = False

    def finish(self) -> None:
        """Wait until everything is on disk."""
        while self.open:
            self._listen(wait=True)

    def close(self) -> None:
        """End the writers."""
        self.generator.executor.collective_rpc = self.call
        for _ in self.writers:
            self.orders.put(None)
        for process in self.writers:
            process.join(timeout=5)
            if process.is_alive():
                process.kill()
        for line in (self.orders, self.answers):
            line.cancel_join_thread()
            line.close()


def _paired(prompts: Sequence[Prompt], results: Sequence[dict[str, Any]]) -> list[tuple[Prompt, dict[str, Any]]]:
    """Each prompt with its result; refuses results that belong to other prompts."""
    for prompt, result in zip(prompts, results, strict=False):
        if [int(token) for token in result["input_ids"]] != prompt.tokens:
            raise samples.refuse(prompt, "its result holds other tokens than were asked for")
    if len(results) != len(prompts):
        raise samples.refuse(prompts[-1], f"{len(results)} results came for a batch of {len(prompts)}")
    return list(zip(prompts, results, strict=True))
