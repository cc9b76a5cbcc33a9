from typing import TYPE_CHECKING

from lib import Stays

if TYPE_CHECKING:
    from lib import Gone  # expect[unresolved-import]
    from lib import Stays as Again  # ok: still there


def run(gone: "Gone", again: "Again"):
    return Stays(gone, again)
