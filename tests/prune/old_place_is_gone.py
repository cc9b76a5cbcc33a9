try:
    from acme.params import Params  # till 1.4
except ImportError:
    # since 2.0
    from acme.sampling import Params

print(Params)
# --- becomes
# since 2.0
from acme.sampling import Params

print(Params)
