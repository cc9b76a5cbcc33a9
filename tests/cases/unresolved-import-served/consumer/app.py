import lib
import libextra  # expect[unresolved-import]
from lib import boxcar, connect
from lib import gaussian  # expect[unresolved-import]
from lib.numeric import common_type, find_type  # expect[unresolved-import]

lib.find_type()  # expect[unresolved-attribute]
lib.common_type()  # ok: still comes along
lib.hamming()  # expect[unresolved-attribute]
connect("here", extra=1)  # expect[unknown-argument]
boxcar()  # ok: still served
