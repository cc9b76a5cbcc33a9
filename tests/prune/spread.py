import acme
from packaging.version import parse

NEW = parse(acme.__version__).major >= 2
a = acme.Engine("m", **({"seed": 1} if NEW else {}))
b = acme.Engine(
    "m",
    # reproducible
    **({"seed": (yes := 1)} if NEW else {}),
)
c = acme.Engine("m", **({} if NEW else {"seed": 1}))
d = acme.Engine(**{"model": "m", **({"seed": 1} if NEW else {})})
e = acme.Engine("m", **({"seed": 1, "not-a-name": 2} if NEW else {}))
f = acme.Engine(**(dict(model="m", seed=2) if NEW else {"model": "m"}))
# --- becomes
import acme

a = acme.Engine("m", seed=1)
b = acme.Engine(
    "m",
    # reproducible
    seed=(yes := 1),
)
c = acme.Engine("m")
d = acme.Engine(**{"model": "m", "seed": 1})
e = acme.Engine("m", **{"seed": 1, "not-a-name": 2})
f = acme.Engine(model="m", seed=2)
