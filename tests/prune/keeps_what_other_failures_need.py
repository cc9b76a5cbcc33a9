try:
    from acme.sampling import Params
except Exception:
    Params = None
try:
    import other
    from acme.sampling import Params as P
except ImportError:
    P = None
try:
    from acme.sampling import Params as Q
finally:
    print(Q)
try:
    from acme.params import Params as R
except ImportError as error:
    print(error)
try:
    import acme
except ImportError:
    acme = None
if hasattr(acme, "fast"):
    acme.fast()
