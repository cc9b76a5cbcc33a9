"""A release seen as modules: read one by one when asked for, and parsed once per content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from auditor.api import SCHEMA, ModuleApi
from auditor.decoding import decode_leniently
from auditor.provider.searching import Files, Records, Searches

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
        self._stubs = release.stubs()
        self._folders = _folders(self._modules, self._stubs)
        self._apis: dict[str, ModuleApi] = {}
        self._encoded: dict[str, bytes] = {}
        """What was read but not asked for yet."""
        self.parsed = 0
        """Modules parsed in this run; the others came out of the store."""

    def claim(self, packages: Iterable[str]) -> None:
        """Answer for further top-level names, which an earlier release had: what is asked of them is missing."""
        self.packages = tuple(dict.fromkeys((*self.packages, *packages)))

    def module_names(self) -> Sequence[str]:
        """All modules, stubs-only ones included."""
        return list(dict.fromkeys((*self._modules, *self._stubs)))

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

    def prefetch(self, names: Iterable[str]) -> None:
        """Read several modules (and the packages around them) in one batch."""
        wanted: dict[str, str] = {}
        for name in names:
            parts = name.split(".")
            for count in range(1, len(parts) + 1):
                module = ".".join(parts[:count])
                if module in self._modules:
                    wanted[self._modules[module]] = module
                elif module in self._stubs:
                    wanted[self._stubs[module]] = module
        self._load(
            {path: name for path, name in wanted.items() if path not in self._apis and path not in self._encoded}
        )

    def load_all(self) -> int:
        """Read and parse the whole release; returns the number of modules."""
        everything = {path: name for name, path in (*self._modules.items(), *self._stubs.items())}
        self._load(everything)
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
            self._load({path: name})
        if path not in self._apis:
            stored = _decoded(self._encoded.pop(path))
            if stored is not None:
                self._apis[path] = stored
            else:  # a record of another build
                self._parse({path: name}, self._keys({path: name}))
                self._apis[path] = _DECODER.decode(self._encoded.pop(path))
        return self._apis[path]

    def _load(self, wanted: Mapping[str, str]) -> None:
        """Have some paths in `_encoded` or `_apis`: from the store by digest, else by parsing."""
        wanted = {p: n for p, n in wanted.items() if p not in self._apis and p not in self._encoded}
        if not wanted:
            return
        keys = self._keys(wanted)
        stored = self.store.get_many("api", keys.values())
        self._encoded.update((path, stored[key]) for path, key in keys.items() if key in stored)
        missing = {path: name for path, name in wanted.items() if keys[path] not in stored}
        if missing:
            self._parse(missing, keys)

    def _parse(self, wanted: Mapping[str, str], keys: Mapping[str, str]) -> None:
        from auditor.provider.parallel import Job, read_all  # not imported where the store knows it all

        def jobs() -> Iterator[Job]:
            for path, source in self.release.read(wanted).items():
                yield Job(path, wanted[path], source)

        fresh: dict[str, bytes] = {}
        for done in read_all(jobs(), len(wanted)):
            self._encoded[done.path] = done.data
            fresh[keys[done.path]] = done.data
        self.parsed += len(fresh)
        self.store.put_many("api", fresh)

    def _keys(self, wanted: Mapping[str, str]) -> dict[str, str]:
        """What the store keeps each path's API under: all that it depends on."""
        digests = self.release.digests(wanted)
        return {path: f"{digests[path]}:{name}:{_kind(path)}:{SCHEMA}" for path, name in wanted.items()}


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


def _kind(path: str) -> str:
    """What `is_package` and `is_stub` are for a file."""
    file = path.rsplit("/", 1)[-1]
    return ("package" if file.startswith("__init__.") else "module") + ("-stub" if file.endswith(".pyi") else "")
