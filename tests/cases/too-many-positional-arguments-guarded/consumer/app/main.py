import inspect
from importlib.metadata import version as version_of

from packaging.specifiers import SpecifierSet

import lib
from lib import VERSION as LIB_VERSION

from . import release
from .release import OLD, is_old

plain = lib.f(1, 2)  # expect[too-many-positional-arguments]
by_flag = lib.f(1, 2) if OLD else lib.f(1)  # ok: the flag of another module says which
never = lib.f(1) if OLD else lib.f(1, 2)  # expect[too-many-positional-arguments]

if is_old():
    lib.f(1, 2)  # ok: only before 2.0

if not release.at_least("2.0"):
    lib.f(1, 2)  # ok: the helper of another module says so

match lib.__version__.split(".")[0]:
    case "1":
        lib.f(1, 2)  # ok: only in 1.*
    case _:
        lib.f(1)

if version_of("lib") in SpecifierSet("<2"):
    lib.f(1, 2)  # ok: outside of what is asked for

try:
    lib.f(1, 2)  # ok: the handler calls it in the other way
except TypeError:
    lib.f(1)

options = {}
if "b" in inspect.signature(lib.g).parameters:
    options["b"] = 1
lib.g(1, **options)  # ok: asked for

options = {"b": 1} if lib.__version__.startswith("1.") else {}
lib.g(1, **options)  # ok: only in 1.*


def sometimes(flag, old=lib.__version__ < "2"):
    lib.g(1, **({"b": 2} if flag else {}))  # expect[unknown-argument]


class Client:
    new = not OLD

    def call(self):
        if not self.new:
            return lib.f(1, 2)  # ok: where it is old
        return lib.f(1)


if release.is_exactly("1.0"):
    lib.f(1, 2)  # ok: a longer helper says so

IS_NEW = LIB_VERSION.startswith("2.")
if not IS_NEW:
    lib.f(1, 2)  # ok: a constant says the version
