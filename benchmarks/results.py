"""What one run has measured so far, part by part, on disk as JSON from which an interrupted run goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from measuring import Measure
from sampling import Profile


@dataclass
class Results:
    """All that one run measured."""

    where: str
    """The machine."""
    settings: dict[str, str | int]
    tools: dict[str, str]
    """The release of each peer."""
    sizes: dict[str, int]
    """Bytes of the new release: its wheel, its sources, its sources as the wheel packs them."""
    stages: dict[str, list[Measure]] = field(default_factory=dict)
    profiles: list[Profile] = field(default_factory=list)

    def add(self, stage: str, measured: Iterable[object]) -> None:
        """Take in what a stage yields."""
        found = list(measured)
        self.stages[stage] = [one for one in found if isinstance(one, Measure)]
        self.profiles += [one for one in found if isinstance(one, Profile)]

    def write(self, file: Path) -> None:
        """Keep everything; a write that is interrupted leaves what was kept before."""
        partial = file.with_suffix(".partial")
        partial.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")
        partial.replace(file)

    def going_on(self, file: Path) -> Results:
        """These results with the stages that an earlier run of the same settings and tools kept."""
        if not file.exists():
            return self
        kept = json.loads(file.read_text(encoding="utf-8"))
        same = all(kept[name] == getattr(self, name) for name in ("settings", "tools", "sizes"))
        if not same:
            sys.exit(f"{file} is of a run with other settings or other tools; leave out --go-on to begin anew")
        stages = {name: [Measure.again(one) for one in stage] for name, stage in kept.pop("stages").items()}
        profiles = [Profile(**one) for one in kept.pop("profiles")]
        return Results(**kept, stages=stages, profiles=profiles)

    @property
    def costs(self) -> list[Measure]:
        """The small consumer, by us and by peers."""
        return [one for name in ("small", "checkers", "whole", "rivals") for one in self.stages.get(name, ())]

    def cost(self, name: str) -> Measure:
        return next(one for one in self.costs if one.name.startswith(name))
