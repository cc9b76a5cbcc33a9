try:
    from acme.gone import Params
except ImportError:
    try:
        from acme.sampling import Params
    except ImportError:
        from acme.params import Params

print(Params)
# --- becomes
from acme.sampling import Params

print(Params)
