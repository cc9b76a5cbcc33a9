"""A consumer's modules as a world sees them: read on demand, analysed once per content, refined by the walk."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Protocol, TypeAlias

from auditor.api import SCHEMA, ModuleApi, Served
from auditor.consumer.analysis import ConsumerModule, FileAnalysis, Job
from auditor.consumer.flags import filled
from auditor.consumer.source import Sources
from auditor.consumer.stored import decoded
from auditor.portions import tops
from auditor.terms import Guard, Import

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([\w.]+))", re.MULTILINE
)
_WALK = 13
"""Counts changes of what the walk makes of a source, beside those of the schema."""
_HOPS = 2
"""How many imports away from a provider a file still counts: a module, and the package that re-exports it."""

ReadAll: TypeAlias = Callable[[Sequence[Job], frozenset[str]], Iterable[tuple[str, bytes]]]
"""Reads files, given the packages of interest: the module of each, and what was read, encoded; in any order."""

Mention: TypeAlias = tuple[frozenset[str], frozenset[str]]
"""Names of which a file must mention one, words of which it must mention all."""


class Records(Protocol):
    """What is needed of the store."""

    def get_many(self, kind: str, keys: Iterable[str]) -> dict[str, bytes]: ...
    def put_many(self, kind: str, values: Mapping[str, bytes]) -> None: ...


class ConsumerTree:
    """The consumer's own modules.

    Args:
        sources: Its files.
        providers: Import packages of the providers.
        read_all: Reads files (handed in: it knows the provider room's reader, and how many cores there are).
        store: Keeps analyses by content.
        outsiders: Import names of packages that are not audited but whose uses some rule asks for; for each rule the
            names of which a file must mention one, and the words of which it must mention all.
    """

    def __init__(
        self,
        sources: Sources,
        providers: Iterable[str],
        read_all: ReadAll,
        store: Records,
        outsiders: Mapping[str, Sequence[Mention]] = MappingProxyType({}),
    ) -> None:
        self.sources = sources
        self.providers = frozenset(providers)
        self.packages: Sequence[str] = [p for p in sources.packages if p not in self.providers]
        self.outsiders = {p: wanted for p, wanted in outsiders.items() if p not in self.packages}
        self.interesting = tops(self.providers) | frozenset(self.packages) | self.outsiders.keys()
        self.read_all = read_all
        self.store = store
        self._modules: dict[str, ConsumerModule | None] = {}
        self._folders = {name.rsplit(".", n)[0] for name in sources.modules for n in range(1, name.count(".") + 1)}

    def has_module(self, name: str) -> bool:
        """Whether the consumer has this module or package."""
        return name in self.sources.modules or name in self._folders

    def module(self, name: str) -> ModuleApi | None:
        """The API of a module, with what the walk found out about returned and assigned values."""
        found = self.load([name]).get(name)
        if found is None:
            return ModuleApi(name, is_package=True) if name in self._folders else None
        return found.api

    def stub(self, name: str) -> ModuleApi | None:
        """Consumers are read as they run; their stubs do not count."""
        del name
        return None

    def served(self, module: str, name: str) -> Served | None:
        """What consumers serve is not followed any further."""
        del module, name
        return None

    def may_have(self, module: str, name: str, others: Sequence[str]) -> bool:
        """Consumers are read anyway."""
        del module, name, others
        return True

    @cached_property
    def touching(self) -> Sequence[str]:
        """Modules whose source mentions a provider, those that import such a module and may be handed its objects, and
        those that put methods onto objects they are given.
        """
        names = "|".join(map(re.escape, sorted(tops(self.providers))))
        pattern = re.compile(rf"\b(?:{names}|MethodType)\b".encode())
        modules = {path: module for module, path in self.sources.modules.items()}
        contents = self.sources.read(modules)
        direct = {modules[path] for path, source in contents.items() if pattern.search(source)}
        found = set(direct)
        imports = {m: self._imports(m, path, contents[path]) for path, m in modules.items() if m not in direct}
        for _ in range(_HOPS):
            found |= {m for m, imported in imports.items() if imported & found}
        found |= {modules[path] for path, source in contents.items() if self._is_asked_for(source)}
        return [m for m in self.sources.modules if m in found]

    def _is_asked_for(self, source: bytes) -> bool:
        """Whether some rule about a package that is not audited may concern a file."""
        return any(
            package.encode() in source
            and any(
                any(name.encode() in source for name in names) and all(word.encode() in source for word in words)
                for names, words in wanted
            )
            for package, wanted in self.outsiders.items()
        )

    def _imports(self, module: str, path: str, source: bytes) -> set[str]:
        """The consumer's own modules that an unparsed source seems to import."""
        is_package = path.rsplit("/", 1)[-1] == "__init__.py"
        found: set[str] = set()
        for match in _IMPORT.finditer(source):
            target = (match[1] or match[3]).decode("ascii", "replace")
            level = len(target) - len(target.lstrip("."))
            if level:
                parts = module.split(".")
                base = parts[: len(parts) - level + is_package]
                target = ".".join([*base, *target.lstrip(".").split(".")]).strip(".")
            if target.split(".", 1)[0] in self.packages:
                found.add(target)
                names = re.findall(rb"\w+", match[2] or b"")
                found.update(f"{target}.{name.decode('ascii', 'replace')}" for name in names)
        return found & self.sources.modules.keys()

    def analyses(self, modules: Sequence[str]) -> list[FileAnalysis]:
        """The analyses of some modules, in order."""
        loaded = self.load(modules)
        return [m.analysis for name in modules if (m := loaded[name]) is not None and m.analysis is not None]

    def loaded(self) -> list[ConsumerModule]:
        """The modules read so far."""
        return [module for module in self._modules.values() if module is not None]

    def flag(self, guard: Guard) -> tuple[Guard, ...]:
        """What surely holds where a flag (`app.OLD`, `app.is_old()`, `app.at_least(*)`) is set, or is not."""
        path = guard.name
        for _ in range(_HOPS):
            parts = path.split(".")
            module = next((m for n in range(len(parts) - 1, 0, -1) if (m := ".".join(parts[:n])) in self), "")
            analysis = found.analysis if module and (found := self.load([module])[module]) is not None else None
            if analysis is None:
                break
            name = path[len(module) + 1 :]
            if (flag := analysis.flags.get(name)) is not None:
                return filled(flag.unset if guard.negated else flag.set, guard.version)
            first, bracket, tail = name.partition("(")
            again = next((u for u in analysis.uses if u.kind == "import" and u.alias == first and not u.scope), None)
            if again is None or not isinstance(again.term, Import):
                break
            path = again.term.path + bracket + tail
        return ()

    def __contains__(self, module: str) -> bool:
        return module in self.sources.modules

    def load(self, names: Sequence[str]) -> dict[str, ConsumerModule | None]:
        """Read modules: from the store by content, else by parsing and walking."""
        missing = [n for n in names if n not in self._modules]
        if missing:
            paths = {n: self.sources.modules[n] for n in missing if n in self.sources.modules}
            contents = self.sources.read(paths.values())
            keys = {n: self._key(n, path, contents[path]) for n, path in paths.items()}
            stored = self.store.get_many("consumer", keys.values())
            self._modules.update((n, _known(stored.get(keys[n])) if n in paths else None) for n in missing)
            jobs = [Job(n, path, contents[path]) for n, path in paths.items() if self._modules[n] is None]
            if jobs:
                fresh = dict(self.read_all(jobs, self.interesting))
                self._modules.update((n, decoded(data)) for n, data in fresh.items())
                self.store.put_many("consumer", {keys[n]: data for n, data in fresh.items()})
        return {n: self._modules[n] for n in names}

    def _key(self, name: str, path: str, source: bytes) -> str:
        digest = hashlib.sha256(source).hexdigest()
        return f"{digest}:{SCHEMA}.{_WALK}:{name}:{path}:{','.join(sorted(self.interesting))}"


def _known(data: bytes | None) -> ConsumerModule | None:
    if data is None:
        return None
    try:
        return decoded(data)
    except ValueError:
        return None
