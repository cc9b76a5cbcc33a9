"""A release's sources searched from near to far; what a search found is kept, so that it is made once for a content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from hashlib import sha256
from typing import Protocol

import msgspec

from auditor.decoding import decode_leniently
from auditor.provider.bringing import may_bind

_VERSION = "1"
"""Raised whenever the stored form or the meaning of an answer changes."""
_FEW = 300
"""Modules of a release that is searched as a whole at any rate."""
_IN_VAIN = 8
"""Modules that are asked for a name one after the other before the next are fetched at once."""
_MEMBERS = (re.compile(rb"self\.(\w+)"), re.compile(rb"def[ \t]+(\w+)"))
"""Two expressions that each begin with a fixed text are three times as fast as one with alternatives."""


class Files(Protocol):
    """What is needed of a release."""

    @property
    def packages(self) -> tuple[str, ...]: ...
    def modules(self) -> Mapping[str, str]: ...
    def stubs(self) -> Mapping[str, str]: ...
    def read(self, paths: Iterable[str]) -> dict[str, bytes]: ...
    def digests(self, paths: Iterable[str]) -> dict[str, str]: ...
    def claims(self, paths: Iterable[str]) -> dict[str, str | None]: ...


class Records(Protocol):
    """What is needed of the store."""

    def get_many(self, kind: str, keys: Iterable[str]) -> dict[str, bytes]: ...
    def put_many(self, kind: str, values: Mapping[str, bytes]) -> None: ...


class Searches:
    """The sources of a release, to be searched.

    Args:
        release: Gives the sources.
        store: Keeps what was found.
    """

    def __init__(self, release: Files, store: Records) -> None:
        self.release = release
        self.store = store
        self._modules = release.modules()
        self._stubs = release.stubs()
        self._read: dict[str, bytes] = {}
        """Sources that were searched, by module."""
        self._members: dict[str, frozenset[bytes]] = {}
        self._having: dict[str, dict[str, bool]] = {}
        """By name which modules may have it."""
        self._fetched: dict[str, int] = {}
        """How many of some modules that are asked in turn were fetched, by the first of them."""

    def search(self, word: str, pattern: str, near: str, *, everywhere: bool = True) -> Iterator[tuple[str, str]]:
        """Modules whose source matches a regular expression, as (name, source), nearest to a module first.

        Args:
            word: What each match holds: most sources lack it, and to see that takes a hundredth of the pattern's time.
            pattern: The regular expression; lines have ends of their own in it.
            near: A dotted name.
            everywhere: Whether the search goes on beyond the packages around it, where there are many modules.
        """
        literal, expression = word.encode(), re.compile(pattern.encode(), re.MULTILINE)

        def matching(sources: Mapping[str, bytes]) -> bytes:
            hits = [name for name, source in sources.items() if literal in source and expression.search(source)]
            return msgspec.msgpack.encode(hits)

        for ring in self.rings(near, everywhere=everywhere):
            for name in _names().decode(self.recalled(f"search\0{word}\0{pattern}", ring, matching)):
                yield name, decode_leniently(self._sources([name])[name])

    def mentioning(self, modules: Iterable[str], names: Set[str]) -> Mapping[str, Sequence[str]]:
        """Those of some modules that define functions of these names or use such members of `self`, with the names."""
        asked = [name for name in modules if name in self._modules]
        wanted = sorted(names)

        def mentioned(sources: Mapping[str, bytes]) -> bytes:
            found = {}
            for module, source in sources.items():
                if module not in self._members:
                    self._members[module] = frozenset(name for each in _MEMBERS for name in each.findall(source))
                if hits := [name for name in wanted if name.encode() in self._members[module]]:
                    found[module] = hits
            return msgspec.msgpack.encode(found)

        return _table().decode(self.recalled("\0".join(("members", *wanted)), asked, mentioned))

    def matches(self, modules: Iterable[str], word: str, pattern: str) -> bool:
        """Whether the source of one of some modules matches a regular expression, each match of which holds a word."""
        literal, expression = word.encode(), re.compile(pattern.encode(), re.MULTILINE)

        def matching(sources: Mapping[str, bytes]) -> bytes:
            found = any(literal in source and expression.search(source) for source in sources.values())
            return msgspec.msgpack.encode(found)

        known = sorted(self._modules.keys() & set(modules))
        return bool(msgspec.msgpack.decode(self.recalled(f"matches\0{word}\0{pattern}", known, matching)))

    def may_have(self, module: str, name: str, others: Sequence[str]) -> bool:
        """Whether a module may have a global name; False, which is certain, spares reading it.

        Args:
            module: Its name.
            name: The name asked for.
            others: Modules that are asked for the same, one after the other; those in the folder of this one are looked
                through with it.
        """
        path = self._modules.get(module)
        if path is None or module in self._stubs:
            return True
        known = self._having.setdefault(name, {})
        if module not in known:
            self._look_ahead(module, others)
            folder = path.rpartition("/")[0]
            asked = [one for one in others if self._modules.get(one, "").rpartition("/")[0] == folder]
            asked = list(dict.fromkeys([module, *asked]))

            def having(sources: Mapping[str, bytes]) -> bytes:
                return msgspec.msgpack.encode([one for one, source in sources.items() if may_bind(source, name)])

            found = _names().decode(self.recalled(f"having\0{name}", asked, having, keep=False))
            known.update((one, one in found) for one in asked)
        return known[module]

    def _look_ahead(self, module: str, others: Sequence[str]) -> None:
        """Where many modules are asked in vain, fetch the next as many in one batch, with all that lies below them."""
        place = others.index(module) if module in others else 0
        if place >= max(_IN_VAIN, self._fetched.get(others[0], 0)):
            self._fetched[others[0]] = end = 2 * place + 1
            coming = others[place:end]
            below = tuple(f"{one}." for one in coming)
            names = [name for name in self._modules if name in coming or name.startswith(below)]
            self.release.digests(self._modules[name] for name in names)

    def rings(self, near: str, *, everywhere: bool) -> Iterator[list[str]]:
        """The modules in stages: the package around `near`, its parents, then the whole release.

        Each is read when it is asked for, so that a search which is content with a near hit reads little.
        """
        seen: set[str] = set()
        parts = near.split(".")
        for count in range(len(parts), 0, -1):
            prefix = ".".join(parts[:count])
            if count == 1 and not everywhere and len(self._modules) > _FEW:
                return
            ring = [m for m in self._modules if (m == prefix or m.startswith(prefix + ".")) and m not in seen]
            if ring:
                seen.update(ring)
                yield ring
        if everywhere:
            rest = [m for m in self._modules if m not in seen]
            if rest:
                yield rest

    def recalled(
        self,
        question: str,
        modules: Sequence[str],
        answer: Callable[[Mapping[str, bytes]], bytes],
        *,
        keep: bool = True,
    ) -> bytes:
        """What is answered to a question about some modules: as it was kept for the same sources, else worked out.

        Args:
            question: All that the answer depends on besides the sources.
            modules: Their names, in the order in which they are looked through.
            answer: Is given the sources by module.
            keep: Whether the sources will be searched again.
        """
        digests = self.release.digests(self._modules[name] for name in modules)
        asked = sha256(f"{_VERSION}\0{question}\0".encode())
        asked.update("".join(f"{name}:{digests[self._modules[name]]}\n" for name in modules).encode())
        key = asked.hexdigest()
        found = self.store.get_many("search", [key]).get(key)
        if found is None:
            found = answer(self._sources(modules, keep=keep))
            self.store.put_many("search", {key: found})
        return found

    def _sources(self, modules: Iterable[str], *, keep: bool = True) -> dict[str, bytes]:
        """The sources of some modules, kept where one search follows the other."""
        asked = list(modules)
        missing = {self._modules[name]: name for name in asked if name not in self._read}
        fresh = {missing[path]: source for path, source in self.release.read(missing).items()}
        if keep:
            self._read.update(fresh)
        return {name: fresh[name] if name in fresh else self._read[name] for name in asked}


@cache
def _names() -> msgspec.msgpack.Decoder[list[str]]:
    return msgspec.msgpack.Decoder(list[str])


@cache
def _table() -> msgspec.msgpack.Decoder[dict[str, list[str]]]:
    return msgspec.msgpack.Decoder(dict[str, list[str]])
