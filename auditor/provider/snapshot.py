"""A release seen as modules: read one by one when asked for, and parsed once per content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from auditor.api import ModuleApi, Served
from auditor.decoding import decode_leniently
from auditor.provider.loading import Module, load
from auditor.provider.searching import Files, Records, Searches

if TYPE_CHECKING:
    from auditor.provider.serving import Servers

_DECODER = msgspec.msgpack.Decoder(ModuleApi)


class Snapshot(Searches):
    """What a release offers.

    Args:
        release: Gives the sources.
        store: Keeps the parsed modules, by the digest of their source.
    """

    def __init__(self, release: Files, store: Records) -> None:
        super().__init__(release, store)
        self.packages: Sequence[str] = release.packages
        self._names = tuple(dict.fromkeys((*self._modules, *self._stubs)))
        self._folders = _folders(self._modules, self._stubs)
        self._apis: dict[str, ModuleApi] = {}
        self._encoded: dict[str, bytes] = {}
        """What was read but not asked for yet."""
        self._servers: Servers | None = None
        self.parsed = 0
        """Modules parsed in this run; the others came out of the store."""

    def claim(self, packages: Iterable[str]) -> None:
        """Answer for further top-level names, which an earlier release had: what is asked of them is missing."""
        self.packages = tuple(dict.fromkeys((*self.packages, *packages)))

    def module_names(self) -> tuple[str, ...]:
        """All modules, stubs-only ones included; the same tuple each time."""
        return self._names

    def has_module(self, name: str) -> bool:
        """Whether a module, package or namespace package of this name exists."""
        return name in self._modules or name in self._stubs or name in self._folders

    def module(self, name: str) -> ModuleApi | None:
        """The API of a module: of its source, or of its stub where there is no source."""
        path = self._modules.get(name) or self._stubs.get(name)
        if path is None:
            return ModuleApi(name, is_package=True) if name in self._folders else None
        return self._api(name, path)

    def stub(self, name: str) -> ModuleApi | None:
        """The API of the stub beside a module's source."""
        path = self._stubs.get(name)
        return self._api(name, path) if path is not None and name in self._modules else None

    def served(self, module: str, name: str) -> Served | None:
        """What the `__getattr__` of a module gives for a name, with the help of the modules that it imports."""
        if self._servers is None:
            from auditor.provider.serving import Servers  # few modules take that

            modules = self._modules
            self._servers = Servers(
                lambda m: self.source(m) if m in modules else None,
                lambda m: modules[m].endswith("/__init__.py"),
            )
        return self._servers.ask(module, name)

    def load_all(self) -> int:
        """Read and parse the whole release; returns the number of modules."""
        everything = {path: name for name, path in (*self._modules.items(), *self._stubs.items())}
        _keep([self], self._unread(everything))
        return len(everything)

    def touched(self) -> dict[str, str]:
        """The files read so far, each with the digest of its source."""
        return self.release.digests({*self._apis, *self._encoded})

    def source(self, name: str) -> str:
        """The decoded source of a module."""
        path = self._modules.get(name) or self._stubs[name]
        return decode_leniently(self.release.read([path])[path])

    def _api(self, name: str, path: str) -> ModuleApi:
        if path not in self._apis and path not in self._encoded:
            _keep([self], self._unread({path: name}))
        if path not in self._apis:
            stored = _decoded(self._encoded.pop(path))
            if stored is not None:
                self._apis[path] = stored
            else:  # a record of another build
                _keep([self], [Module(self.release, name, path)], anew=True)
                self._apis[path] = _DECODER.decode(self._encoded.pop(path))
        return self._apis[path]

    def _around(self, names: Iterable[str]) -> dict[str, str]:
        """The files of some modules and of the packages around them, with the names of these."""
        wanted: dict[str, str] = {}
        for name in names:
            parts = name.split(".")
            for count in range(1, len(parts) + 1):
                module = ".".join(parts[:count])
                path = self._modules.get(module) or self._stubs.get(module)
                if path is not None:
                    wanted[path] = module
        return wanted

    def _unread(self, files: Mapping[str, str]) -> list[Module]:
        known = (self._apis, self._encoded)
        return [Module(self.release, name, path) for path, name in files.items() if not any(path in k for k in known)]


def prefetch(wanted: Mapping[Snapshot, Iterable[str]]) -> None:
    """Read modules of several releases (and the packages around them) in one batch."""
    _keep(
        wanted, [module for snapshot, names in wanted.items() for module in snapshot._unread(snapshot._around(names))]
    )


def _keep(snapshots: Iterable[Snapshot], modules: Sequence[Module], *, anew: bool = False) -> None:
    """Have some modules of snapshots that share a store, to be decoded when they are asked for."""
    by_release = {snapshot.release: snapshot for snapshot in snapshots}
    if modules:
        for module, data, fresh in load(modules, by_release[modules[0].release].store, anew=anew):
            snapshot = by_release[module.release]
            snapshot._encoded[module.path] = data
            snapshot.parsed += fresh


def _folders(*tables: Mapping[str, str]) -> frozenset[str]:
    """Names of all packages, those without an `__init__.py` included."""
    found: set[str] = set()
    for table in tables:
        for name in table:
            while "." in name:
                name = name.rpartition(".")[0]
                found.add(name)
    return frozenset(found)


def _decoded(data: bytes) -> ModuleApi | None:
    """A stored module; None for a record of another build, whose module is parsed again."""
    try:
        return _DECODER.decode(data)
    except msgspec.DecodeError:
        return None
