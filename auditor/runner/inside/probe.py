"""Asks live libraries what patches assume of them: imports, signatures, names. Run by the target's Python.

Reads a request (JSON) and writes an answer (JSON). No model is loaded and no GPU is used; nothing that is asked about
is called.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import json
import sys
import time
from pathlib import Path
from typing import Any

Json = dict[str, Any]
_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional-only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional-or-keyword",
    inspect.Parameter.VAR_POSITIONAL: "var-positional",
    inspect.Parameter.KEYWORD_ONLY: "keyword-only",
    inspect.Parameter.VAR_KEYWORD: "var-keyword",
}


class UnresolvedError(Exception):
    """A dotted name that leads nowhere; the message says where it ends."""


def resolve(path: str) -> tuple[Any, Any]:
    """The object at a dotted path and what holds it."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        try:
            thing: Any = importlib.import_module(name)
        except ModuleNotFoundError as error:
            missing = error.name or ""
            if length > 1 and (missing == name or name.startswith(f"{missing}.")):
                continue
            raise UnresolvedError(_told(error)) from error
        except BaseException as error:  # an import may end in anything, `SystemExit` included
            raise UnresolvedError(f"importing `{name}` fails: {_told(error)}") from error
        break
    else:
        raise UnresolvedError(f"there is no module `{parts[0]}`")
    holder: Any = None
    for index in range(length, len(parts)):
        holder = thing
        try:
            thing = getattr(thing, parts[index])
        except AttributeError:
            raise UnresolvedError(f"`{'.'.join(parts[:index])}` has no `{parts[index]}`") from None
    return thing, holder


def binds(thing: Any, holder: Any, shape: Json) -> str | None:
    """Why the live signature refuses a call of this shape; None where it accepts it."""
    signature = inspect.signature(thing)
    count = shape["positional"] + _hidden(thing, holder)
    keywords = dict.fromkeys(shape["keywords"])
    if len(keywords) != len(shape["keywords"]):
        return "a keyword is passed twice"
    open_ended = shape["star"] or shape["double_star"]
    bind = signature.bind_partial if open_ended else signature.bind
    try:
        bind(*([None] * count), **keywords)
    except TypeError as error:
        return str(error)
    return None


def _hidden(thing: Any, holder: Any) -> int:
    """How many arguments an instance would add in front: 1 for a plain method reached through its class."""
    if not inspect.isclass(holder) or inspect.isclass(thing):
        return 0
    name = getattr(thing, "__name__", "")
    found = inspect.getattr_static(holder, name, None)
    return 0 if isinstance(found, (staticmethod, classmethod)) or inspect.ismethod(thing) else 1


def _parameters(thing: Any, holder: Any) -> list[list[Any]]:
    listed = list(inspect.signature(thing).parameters.values())[_hidden(thing, holder) :]
    return [[p.name, _KINDS[p.kind], p.default is inspect.Parameter.empty] for p in listed]


def _signature(symbol: str, parameters: list[list[Any]], thing: Any, holder: Any) -> str:
    """The live signature on one line: names and defaults."""
    listed = list(inspect.signature(thing).parameters.values())[_hidden(thing, holder) :]
    pieces: list[str] = []
    for parameter, (name, kind, required) in zip(listed, parameters, strict=True):
        if kind == "keyword-only" and "*" not in pieces and not any(p.startswith("*") for p in pieces):
            pieces.append("*")
        stars = {"var-positional": "*", "var-keyword": "**"}.get(kind, "")
        default = "" if required else f"={_short(parameter.default)}"
        pieces.append(f"{stars}{name}{default if not stars else ''}")
    return f"{symbol.rsplit('.', 1)[-1]}({', '.join(pieces)})"


def _short(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:  # noqa: BLE001 - a stranger's repr
        text = "..."
    return text if len(text) <= 40 and "<" not in text else "..."


def _told(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:600]


def ask_site(site: Json) -> Json:
    """One call, before and after the patches, against the live signature."""
    answer: Json = {"id": site["id"], **dict.fromkeys(("error", "signature", "parameters", "before", "after"))}
    try:
        thing, holder = resolve(site["symbol"])
        parameters = _parameters(thing, holder)
        answer["parameters"] = parameters
        answer["signature"] = _signature(site["symbol"], parameters, thing, holder)
        for side in ("before", "after"):
            if site[side] is not None:
                answer[side] = {"error": binds(thing, holder, site[side])}
    except UnresolvedError as error:
        answer["error"] = str(error)
    except (ValueError, TypeError) as error:
        answer["unknown"] = f"its signature cannot be read: {_told(error)}"
    return answer


def ask_module(name: str) -> Json:
    """Whether a patched module imports, how long that takes, and from where."""
    started = time.perf_counter()
    try:
        module = importlib.import_module(name)
    except BaseException as error:  # noqa: BLE001 - an import may end in anything
        return {"module": name, "error": _told(error), "seconds": time.perf_counter() - started, "file": None}
    return {
        "module": name,
        "error": None,
        "seconds": time.perf_counter() - started,
        "file": getattr(module, "__file__", None),
    }


def ask_name(path: str) -> str | None:
    """Why a dotted path leads nowhere; None where it leads somewhere."""
    try:
        resolve(path)
    except UnresolvedError as error:
        return str(error)
    return None


def ask_method(name: str, classes: list[str]) -> str | None:
    """Why none of the classes that can be imported has such a method; None where one has it."""
    seen: list[str] = []
    for path in classes:
        try:
            holder, _ = resolve(path)
        except UnresolvedError:
            continue
        if hasattr(holder, name):
            return None
        seen.append(path)
    return f"no method `{name}` in {', '.join(seen)}" if seen else None


def ask_loose(call: Json) -> Json:
    """A call that a patch has added: its callee is looked up among the globals of the patched module."""
    try:
        thing: Any = importlib.import_module(call["module"])
        holder: Any = None
        for name in call["callee"].split("."):
            holder, thing = thing, getattr(thing, name)
        symbol = f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}"
        if not any(symbol.startswith(f"{package}.") for package in call["packages"]):
            return {**call, "known": False}
        error = binds(thing, holder if inspect.isclass(holder) else None, call)
        signature = _signature(symbol, _parameters(thing, None), thing, None)
    except BaseException:  # noqa: BLE001 - a local name, an instance, a builtin without a signature: nothing to say
        return {**call, "known": False}
    return {**call, "known": True, "symbol": symbol, "error": error, "signature": signature}


def main(arguments: list[str]) -> int:
    """Read the request, ask, write the answer."""
    request = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    started = time.perf_counter()
    answer: Json = {
        "modules": [ask_module(name) for name in request["modules"]],
        "sites": [ask_site(site) for site in request["sites"]],
        "names": {name: ask_name(name) for name in request["names"]},
        "methods": {name: ask_method(name, request["classes"]) for name in request["methods"]},
        "loose": [ask_loose(call) for call in request["loose"]],
        "python": sys.version.split()[0],
    }
    answer["seconds"] = time.perf_counter() - started
    draft = Path(arguments[1] + ".draft")
    draft.write_text(json.dumps(answer), encoding="utf-8")
    draft.replace(arguments[1])
    return 0


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    sys.exit(code)
