# where parameters live
try:
    from acme.sampling import Params
except ImportError:
    from acme.params import Params

print(Params)
# --- becomes
# where parameters live
from acme.sampling import Params

print(Params)
