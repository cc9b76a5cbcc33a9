"""A consumer's modules as a world sees them: read on demand, analysed once per content, refined by the walk."""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, TypeAlias

import msgspec

from auditor.api import SCHEMA, AttributeApi, ClassApi, Definition, FunctionApi, ModuleApi
from auditor.consumer.analysis import ConsumerModule, FileAnalysis
from auditor.consumer.flags import filled
from auditor.consumer.source import Sources
from auditor.consumer.walker import walk
from auditor.decoding import decode
from auditor.model import Problem
from auditor.terms import Guard, Import, Term
from auditor.terms import Mapping as Keywords

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([\w.]+))", re.MULTILINE
)
_WALK = 7
"""Counts changes of what the walk makes of a source, beside those of the schema."""
_HOPS = 2
"""How many imports away from a provider a file still counts: a module, and the package that re-exports it."""
_DECODER = msgspec.msgpack.Decoder(ConsumerModule)
_ENCODER = msgspec.msgpack.Encoder()

ReadModule = Callable[[str, bytes, bool], ModuleApi]
"""Reads a module's API out of its source: name, source, is it a package."""


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
        providers: Top-level import names of the providers.
        read_module: Reads a module's API (the provider room's reader, handed in: rooms do not know each other).
        store: Keeps analyses by content.
        outsiders: Import names of packages that are not audited but whose uses some rule asks for; for each rule the
            names of which a file must mention one, and the words of which it must mention all.
    """

    def __init__(
        self,
        sources: Sources,
        providers: Iterable[str],
        read_module: ReadModule,
        store: Records,
        outsiders: Mapping[str, Sequence[Mention]] = MappingProxyType({}),
    ) -> None:
        self.sources = sources
        self.providers = frozenset(providers)
        self.packages: Sequence[str] = [p for p in sources.packages if p not in self.providers]
        self.outsiders = {p: wanted for p, wanted in outsiders.items() if p not in self.packages}
        self.interesting = self.providers | frozenset(self.packages) | self.outsiders.keys()
        self.read_module = read_module
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

    def touching(self) -> list[str]:
        """Modules whose source mentions a provider, those that import such a module and may be handed its objects, and
        those that put methods onto objects they are given.
        """
        names = "|".join(map(re.escape, sorted(self.providers)))
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
            fresh: dict[str, bytes] = {}
            for name in missing:
                if name not in paths:
                    self._modules[name] = None
                    continue
                found = _decoded(stored.get(keys[name]))
                if found is None:
                    found = self._read(name, paths[name], contents[paths[name]])
                    fresh[keys[name]] = _ENCODER.encode(found)
                self._modules[name] = found
            if fresh:
                self.store.put_many("consumer", fresh)
        return {n: self._modules[n] for n in names}

    def _key(self, name: str, path: str, source: bytes) -> str:
        digest = hashlib.sha256(source).hexdigest()
        return f"{digest}:{SCHEMA}.{_WALK}:{name}:{path}:{','.join(sorted(self.interesting))}"

    def _read(self, name: str, path: str, source: bytes) -> ConsumerModule:
        is_package = path.rsplit("/", 1)[-1] == "__init__.py"
        api = self.read_module(name, source, is_package)
        if api.problems:
            return ConsumerModule(api, _broken(path, name, api.problems[0].removeprefix("partly read: ")))
        try:
            text = decode(source)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
            analysis = walk(name, path, text, tree, is_package=is_package, interesting=self.interesting)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return ConsumerModule(api, _broken(path, name, f"cannot be read: {error}"))
        return ConsumerModule(_refined(api, analysis), analysis)


def _decoded(data: bytes | None) -> ConsumerModule | None:
    if data is None:
        return None
    try:
        return _DECODER.decode(data)
    except msgspec.DecodeError:
        return None


def _broken(path: str, name: str, message: str) -> FileAnalysis:
    line = re.search(r"line (\d+)", message)
    return FileAnalysis(path, name, problems=(Problem(path, message, int(line[1]) if line else None, "syntax-error"),))


def _refined(api: ModuleApi, analysis: FileAnalysis) -> ModuleApi:
    """The API with the walk's terms, which follow local variables, in place of the quick reader's."""
    names = {
        name: tuple(_refine(d, d.name, analysis) if isinstance(d, ClassApi | FunctionApi) else d for d in definitions)
        for name, definitions in api.names.items()
    }
    for name, cls in analysis.local_classes.items():
        names[name] = (_refine(cls, name, analysis),)
    for name, term in analysis.globals.items():
        stated = [d for d in names.get(name, ()) if not (isinstance(d, AttributeApi) and d.term is None)]
        names[name] = (*stated, AttributeApi(name, 0, term=term, value="..."))
    return msgspec.structs.replace(api, names=names)


def _refine(definition: ClassApi | FunctionApi, path: str, analysis: FileAnalysis) -> Definition:
    if isinstance(definition, FunctionApi):
        term = analysis.results.get(path)
        if term is not None and (definition.returns is None or isinstance(term, Keywords)):
            return msgspec.structs.replace(definition, result=term)
        return definition
    members = {
        name: tuple(
            _refine(d, f"{path}.{d.name}", analysis) if isinstance(d, ClassApi | FunctionApi) else d
            for d in alternatives
        )
        for name, alternatives in definition.members.items()
    }
    instance = dict(definition.instance)
    for name, term in analysis.attributes.get(path, {}).items():
        instance[name] = (_attribute(name, term, instance.get(name, ())),)
    return msgspec.structs.replace(definition, members=members, instance=instance)


def _attribute(name: str, term: Term, known: Sequence[AttributeApi]) -> AttributeApi:
    annotated = next((a for a in known if a.annotation is not None), None)
    first = annotated or (known[0] if known else None)
    if first is None:
        return AttributeApi(name, 0, term=term, value="...", in_init=True)
    return msgspec.structs.replace(first, term=term)
