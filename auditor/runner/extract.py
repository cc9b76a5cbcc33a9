"""Extracts for real: plans once, runs the copies of the engine, tells how far they are, and leaves a manifest."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from auditor.errors import AuditError
from auditor.runner import gpus, jobs, manifest, said
from auditor.runner.inside import keeping
from auditor.runner.inside import plan as plans
from auditor.runner.jobs import Event
from auditor.runner.overlay import Overlay
from auditor.runner.progress import Progress, amount
from auditor.runner.settings import Settings, refuse_shadow

BAD_DATA = 4


class Engine(Protocol):
    """Who runs the replicas: this machine, or a Ray cluster."""

    def run(self, order: Order, listener: jobs.Listener) -> None:
        """Run all replicas to their end; the first that fails ends all."""


@dataclass(frozen=True)
class Order:
    """Everything that an engine must know to run the replicas."""

    settings: Settings
    overlay: Overlay
    out: Path
    own: Path
    replicas: int

    def command(self, number: int, *, overlay_python: Path | None = None) -> list[str]:
        """The command of one replica."""
        return self.settings.command(
            overlay_python or self.overlay.target.python,
            plan=self.own / "plan",
            out=self.out,
            events=self.events(number),
            replica=f"{number}/{self.replicas}",
        )

    def events(self, number: int) -> Path:
        """Where a replica tells what happens."""
        return self.own / f"events-{number}.jsonl"

    def log(self, number: int) -> Path:
        """Where a replica's output goes."""
        return self.own / f"log-{number}.txt"


class Local:
    """The replicas as processes of this machine, each with GPUs of its own."""

    def run(self, order: Order, listener: jobs.Listener) -> None:
        """Start all, listen to all, leave none."""
        shares = gpus.share(order.replicas, order.settings.tensor_parallel)
        started: list[jobs.Job] = []
        try:
            for number, share in enumerate(shares):
                extra = {"CUDA_VISIBLE_DEVICES": ",".join(share)} if share is not None else {}
                started.append(
                    jobs.start(
                        number,
                        order.command(number),
                        env=order.overlay.environment(extra),
                        cwd=order.overlay.root,
                        log=order.log(number),
                        events=order.events(number),
                    )
                )
            jobs.follow(started, listener)
        finally:
            jobs.stop(started)


@dataclass
class Seen:
    """What the replicas have told."""

    versions: dict[str, str] = field(default_factory=dict)
    form: dict[str, Any] = field(default_factory=dict)
    gpus: dict[int, list[str]] = field(default_factory=dict)
    speeds: dict[int, Event] = field(default_factory=dict)
    ready: dict[int, float] = field(default_factory=dict)

    def take(self, number: int, event: Event) -> None:
        """Remember what the manifest will say."""
        kind = event["event"]
        if kind == "started":
            self.versions = event.get("versions", {})
        elif kind == "ready":
            self.gpus[number] = event.get("gpus", [])
            self.ready[number] = float(event.get("seconds", 0))
        elif kind == "form":
            self.form = {name: event[name] for name in ("dtype", "width", "layers") if name in event}
        elif kind == "speed":
            self.speeds[number] = event


def extract(
    settings: Settings,
    overlay: Overlay,
    out: Path,
    about: Mapping[str, Any],
    *,
    replicas: int = 1,
    engine: Engine | None = None,
    quiet: bool = False,
) -> dict[str, Any]:
    """Run to the end, or to the first failure; what is on disk then is whole, and the same call goes on from there."""
    if settings.job is not None:
        refuse_shadow(settings.job, overlay)
    with manifest.locked(out) as own:
        manifest.claim(own, out, {**about, "settings": settings.identity()})
        chosen = _plan(settings, overlay, own) if settings.job is None else None
        _clear_drafts(out)
        if doubted := keeping.settle(out, own):
            said.say(f"the machine went down: {doubted} samples that may not be whole on the disk are made again")
        done = _done(out, chosen)
        book = manifest.Manifest(out, {**about, "settings": settings.identity(), **_sums(chosen)})
        book.save()
        if chosen is not None and done == chosen.count:
            book.end("complete", note="nothing was left to do")
            said.say(f"{done} of {done} samples are there already")
            return book.document
        order = Order(settings, overlay, out, own, replicas)
        return _run(order, book, chosen, done, engine or Local(), quiet=quiet)


def _run(
    order: Order, book: manifest.Manifest, chosen: plans.Plan | None, done: int, engine: Engine, *, quiet: bool
) -> dict[str, Any]:
    seen = Seen()
    before, begun = gpus.used_megabytes(), time.monotonic()
    count, tokens = (chosen.count, chosen.tokens) if chosen else (None, None)
    if done:
        said.say(f"goes on: {done} of {count} samples are there")
    state, reason = "failed", "unforeseen"
    progress = Progress(samples=count, tokens=tokens, done=done, quiet=quiet)
    try:
        with progress:

            def listen(number: int, event: Event) -> None:
                seen.take(number, event)
                if event["event"] == "ready":
                    progress.ready()
                    if not quiet:
                        said.say(f"engine {number} is up after {event.get('seconds', 0):.0f} s")
                elif event["event"] == "sample":
                    progress.add(int(event.get("tokens", 0)))

            engine.run(order, listen)
        state, reason = "complete", ""
        _complete(order.out, chosen)
    except KeyboardInterrupt:
        state, reason = "interrupted", "by the user"
        said.say(f"interrupted; {_left(before)}the same command resumes")
        raise
    except AuditError as error:
        state, reason = "failed", error.what
        raise AuditError(error.what, where=error.where, hint=f"{_left(before)}{error.hint or ''}") from error
    finally:
        seconds = time.monotonic() - begun
        values = {"samples": progress.new, "tokens": progress.new_tokens, "seconds": round(seconds, 1)}
        book.document.update({"versions": seen.versions} if seen.versions else {})
        book.document.update({"form": seen.form} if seen.form else {})
        book.end(state, reason=reason, **values, **_speed(seen))
    for line in () if quiet else _sentences(order, progress, seen, seconds):
        said.tell(line)
    return book.document


def _plan(settings: Settings, overlay: Overlay, own: Path) -> plans.Plan:
    log = own / "plan.txt"
    command = settings.prepare(overlay.target.python, own / "plan")
    if code := overlay.run(command, log):
        where = str(settings.data if code == BAD_DATA else log)
        raise AuditError(f"The prompts cannot be used: {jobs.last_line(log)}", where=where, hint="Nothing was started")
    return plans.read(own / "plan")


def _done(out: Path, chosen: plans.Plan | None) -> int:
    there = {path.name for path in out.glob("data_*.pt")}
    return sum(plans.sample_name(number) in there for number in range(chosen.count)) if chosen else len(there)


def _clear_drafts(out: Path) -> None:
    for draft in out.glob(".data_*.draft"):
        draft.unlink(missing_ok=True)


def _complete(out: Path, chosen: plans.Plan | None) -> None:
    """Not a sample may be missing when a run says that it is complete."""
    if chosen is not None and (there := _done(out, chosen)) != chosen.count:
        raise AuditError(f"Only {there} of {chosen.count} samples are there", where=str(out))


def _sums(chosen: plans.Plan | None) -> dict[str, Any]:
    if chosen is None:
        return {}
    return {"samples": chosen.count, "tokens": chosen.tokens, "longest": chosen.longest, "cut": chosen.cut}


def _left(before: int | None) -> str:
    """What the GPUs hold now, where they can tell."""
    now = gpus.used_megabytes()
    if before is None or now is None:
        return ""
    if now <= before + 64:
        return "all GPU memory is free again; "
    return f"{now - before} MB of GPU memory are still taken; "


def _speed(seen: Seen) -> dict[str, Any]:
    """Tokens a second of all replicas together, and the share of time in which the model did not compute."""
    if not seen.speeds:
        return {}
    found: dict[str, Any] = {
        "replicas": len(seen.speeds),
        "gpus": [name for names in seen.gpus.values() for name in names],
    }
    speeds = list(seen.speeds.values())
    found["tokens_per_second"] = round(sum(_rate(s, "tokens", "seconds") for s in speeds), 1)
    found["steady_tokens_per_second"] = round(sum(_rate(s, "steady_tokens", "steady_seconds") for s in speeds), 1)
    span = sum(float(s["device"]["span"]) for s in speeds)
    if span:
        found["waiting_share"] = round(1 - sum(float(s["device"]["busy"]) for s in speeds) / span, 4)
    found["waited_for_writing_seconds"] = round(sum(float(s["waited_for_writing"]) for s in speeds), 2)
    found["computing_seconds"] = round(sum(float(s["device"]["busy"]) for s in speeds), 2)
    found["copying_seconds"] = round(sum(float(s["device"].get("copying", 0)) for s in speeds), 2)
    found["writing_seconds"] = round(sum(float(s.get("writing", 0)) for s in speeds), 2)
    found["last_sync_seconds"] = round(max(float(s.get("last_sync", 0)) for s in speeds), 2)
    found["start_seconds"] = round(max(seen.ready.values(), default=0.0), 1)
    memory = [s["device"]["memory"] for s in speeds if "memory" in s["device"]]
    if memory:
        found["memory"] = memory
    return found


def _rate(speed: Event, tokens: str, seconds: str) -> float:
    return float(speed[tokens]) / float(speed[seconds]) if speed[seconds] else 0.0


def _sentences(order: Order, progress: Progress, seen: Seen, seconds: float) -> list[str]:
    lines = [f"{progress.new} samples, {progress.new_tokens} tokens in {seconds:.1f} s, to {order.out}"]
    speed = _speed(seen)
    if speed:
        text = f"{amount(speed['tokens_per_second'])} tok/s in all"
        if speed["steady_tokens_per_second"]:
            text += f", {amount(speed['steady_tokens_per_second'])} tok/s in steady state"
        lines.append(text)
        if "waiting_share" in speed:
            lines.append(
                f"the model waited {speed['waiting_share']:.1%} of the time;"
                f" the job waited {speed['waited_for_writing_seconds']:.1f} s for writing,"
                f" and {speed['last_sync_seconds']:.1f} s at the end for the disk"
            )
            lines.append(
                f"of which {speed['computing_seconds']:.1f} s computing; beside it {speed['copying_seconds']:.1f} s"
                f" copying to the host and {speed['writing_seconds']:.1f} s in the writers"
            )
    return lines
