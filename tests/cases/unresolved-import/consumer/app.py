from lib import cdiv  # expect[unresolved-import]
from lib import stays  # ok: still there
from lib import gone  # expect[unresolved-import]
from lib import never_was  # ok: never was

try:
    from lib import gone as other  # ok: an alternative follows
except ImportError:
    from lib import stays as other

print(cdiv(3, 2), stays(), gone(), other, never_was)
