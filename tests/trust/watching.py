"""Runs `api-audit` under an audit hook that writes down whatever would break the promise never to run what is audited.

    python watching.py CONFIGURATION LOG ARGUMENT...

The configuration (JSON) says where trapped sources lie, which modules they are called, what may be written to and which
addresses may be asked. One line of the log is one breach; the exit code is that of the program.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

MARK = "sprung-trap"
"""A constant in every trapped source: a code object that holds it came from there, whatever file it claims."""
_STARTS = {"os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork", "os.forkpty", "pty.spawn", "os.startfile"}
_CHANGES = {
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.chmod",
    "os.chown",
    "os.utime",
}
_CHANGES |= {"os.truncate", "os.setxattr", "shutil.rmtree", "shutil.move", "shutil.copyfile", "shutil.copytree"}
_FORBIDDEN = {"ctypes.dlopen", "pickle.find_class", "socket.sendto", "code.__new__", "cpython.run_command"}


def holds(code: CodeType) -> bool:
    """Whether a trap is in a code object, however deep."""
    return any(MARK in c if isinstance(c, str) else isinstance(c, CodeType) and holds(c) for c in code.co_consts)


class Watch:
    """Says of each audit event in how far it is a breach; the log is told."""

    def __init__(self, configuration: dict[str, list[str]], log: int) -> None:
        self.under = tuple(configuration["trapped"])
        self.modules = set(configuration["modules"])
        self.writable = tuple(configuration["writable"])
        self.addresses = configuration["addresses"]
        self.log = log
        self.busy = False
        self.judges: dict[str, Callable[..., str | None]] = {
            "import": self._import,
            "exec": self._exec,
            "subprocess.Popen": self._popen,
            "socket.connect": lambda _, to: (
                None if [str(p) for p in to][:2] in self.addresses else "connected elsewhere"
            ),
            "socket.getaddrinfo": lambda name, *_: None if self._known(name) else "resolved another name",
            # urllib3 asks in this way whether there is IPv6
            "socket.bind": lambda _, to: None if to == ("::1", 0) else "listened",
            "open": self._open,
            **dict.fromkeys(_CHANGES, self._change),
            **dict.fromkeys(("os.remove", "os.rmdir"), self._remove),
            **dict.fromkeys(_STARTS | _FORBIDDEN, lambda *_: "did"),
        }

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """The hook."""
        judge = self.judges.get(event)
        if judge is None or self.busy:
            return
        self.busy = True
        try:
            breach = judge(*arguments)
            if breach:
                os.write(self.log, f"{breach}: {event} {arguments!r}"[:600].replace("\n", " ").encode() + b"\n")
        finally:
            self.busy = False

    def _connect(self, _: object, to: Any) -> str | None:
        return None if [str(part) for part in to][:2] in self.addresses else "connected elsewhere"

    def _known(self, name: object) -> bool:
        return any(name == address[0] for address in self.addresses)

    def _import(self, name: str, file: str | None, *_: object) -> str | None:
        foreign = name.split(".", maxsplit=1)[0] in self.modules or str(file or "").startswith(self.under)
        return "imported" if foreign else None

    def _exec(self, code: object) -> str | None:
        if isinstance(code, CodeType) and (code.co_filename.startswith(self.under) or holds(code)):
            return f"ran {code.co_filename}"
        return None

    def _popen(self, _: object, given: list[Any], *__: object) -> str | None:
        words = [os.fsdecode(word) for word in given]
        helper = (
            words[0] == sys.executable and words[1:3] == ["-I", "-c"] and "from auditor.pool import serve" in words[3]
        )
        return None if Path(words[0]).name == "git" or helper else "started a process"

    def _open(self, path: object, mode: str | None, flags: int | None) -> str | None:
        writes = set(mode or "") & set("wax+") or (flags or 0) & (os.O_WRONLY | os.O_RDWR)
        return "opened for writing" if writes and isinstance(path, str) and not self._ours(path) else None

    def _change(self, *paths: object) -> str | None:
        foreign = [path for path in paths[:2] if isinstance(path, str | os.PathLike) and not self._ours(path)]
        return f"changed {foreign[0]}" if foreign else None

    def _remove(self, path: Any, folder: int = -1) -> str | None:
        """`shutil.rmtree` names what it removes by the open folder that holds it."""
        return self._change(Path(f"/proc/self/fd/{folder}").resolve() / path if folder >= 0 else path)

    def _ours(self, path: str | os.PathLike[str]) -> bool:
        return str(Path(path).absolute()).startswith(self.writable)


def main() -> int:
    """Run the program, watched; a program that does nothing else springs each trap to show that it is seen."""
    configuration = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    log = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    from auditor.__main__ import main as program

    sys.addaudithook(Watch(configuration, log))
    if sys.argv[3] == "--spring":
        sys.path[:0] = sys.argv[4:]
        for deed in configuration["deeds"]:
            with suppress(Exception, SystemExit):  # only what the hook saw counts
                exec(deed)
        return 0
    return program(sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
