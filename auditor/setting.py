"""The arguments of an audit as data: what another process, or another machine, opens the same audit with."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from auditor.consumer.source import Sources
from auditor.options import Options, Selection


class Consumer(msgspec.Struct, frozen=True):
    """A consumer as data: another machine does not have its folder."""

    name: str
    version: str | None
    origin: str
    modules: dict[str, str]
    files: dict[str, bytes]
    requires: tuple[str, ...]
    published: datetime | None

    def sources(self) -> Sources:
        """The consumer again."""
        return Sources(
            self.name,
            self.version,
            self.origin,
            self.modules,
            lambda paths: {path: self.files[path] for path in paths},
            self.requires,
            lambda: self.published,
        )


class Setting(msgspec.Struct, frozen=True):
    """The arguments that decide what is found; folders are absolute paths."""

    consumer: Consumer | None
    """None where every process opens the consumers itself."""
    against: tuple[str, ...]
    from_: tuple[str, ...]
    index_url: str | None
    cache_dir: str | None
    offline: bool
    rules: tuple[str, ...]
    selection: Selection
    exclude: tuple[str, ...]
    repaired: bool

    def options(self, consumer: str) -> Options:
        """The arguments of one audit, of `consumer` by its name."""
        return Options(
            consumers=(consumer,),
            against=self.against,
            from_=self.from_,
            index_url=self.index_url,
            cache_dir=None if self.cache_dir is None else Path(self.cache_dir),
            offline=self.offline,
            rules=tuple(map(Path, self.rules)),
            selection=self.selection,
            exclude=self.exclude,
            repaired=self.repaired,
        )


def setting_of(options: Options, sources: Sources | None = None) -> Setting:
    """Some options, and the consumer where it is to be taken along."""
    return Setting(
        None if sources is None else _shipped(sources),
        options.against,
        options.from_,
        options.index_url,
        None if options.cache_dir is None else str(options.cache_dir.absolute()),
        options.offline,
        tuple(str(folder.absolute()) for folder in options.rules),
        options.selection,
        options.exclude,
        options.repaired,
    )


def _shipped(sources: Sources) -> Consumer:
    return Consumer(
        sources.name,
        sources.version,
        sources.origin,
        sources.modules,
        sources.read(sources.modules.values()),
        tuple(sources.requires),
        sources.published(),
    )
