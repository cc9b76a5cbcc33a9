import lib
from app.compat import EITHER, HAS_EXTRA

if HAS_EXTRA:
    lib.other(1)  # ok: not with a release that lacks `lib.extra`
if EITHER:
    lib.other(1)  # expect[unresolved-attribute]
