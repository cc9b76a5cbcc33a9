import warnings

import acme
from packaging.version import Version

if Version(acme.__version__) < Version("2.0"):
    raise ImportError("acme 2 is needed")
if Version(acme.__version__) >= Version("2.0"):
    fast = acme.fast
else:
    warnings.warn("acme is old")
    raise RuntimeError("acme 2 is needed")
try:
    from acme.sampling import Params
except ImportError as error:
    raise ImportError("pip install acme") from error
