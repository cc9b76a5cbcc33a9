import acme
from packaging.version import Version

NEW = Version(acme.__version__) >= Version("2.0")
x = acme.fast if NEW else None
y = 2 * (1 + 2 if NEW else 3)
z = [1 if not NEW else 2, 3]
if NEW and x:
    print(x)
if (
    not NEW
    or x  # why
):
    print(y)
while x and (NEW or y):
    break
assert not (NEW and z), "z"
# --- becomes
import acme

x = acme.fast
y = 2 * (1 + 2)
z = [2, 3]
if x:
    print(x)
if x:
    print(y)
while x:
    break
assert not z, "z"
