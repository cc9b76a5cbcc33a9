from lib import image
from lib.chains import Chain  # expect[unresolved-import]

image.ANTIALIAS  # expect[unresolved-attribute]
image.LANCZOS  # ok: every member of the enumeration is set on the module
try:
    from lib.chains import Link  # ok: there is another
except ImportError:
    from lib.image import LANCZOS as Link
Chain(Link)
