import acme
from packaging.version import Version

if Version(acme.__version__) >= Version("2.0"):
    # the new way
    engine = acme.Engine("m", seed=1)  # seeded
    fast = acme.fast
else:
    engine = acme.Engine("m")
    fast = None

print(engine, fast)
# --- becomes
import acme

# the new way
engine = acme.Engine("m", seed=1)  # seeded
fast = acme.fast

print(engine, fast)
