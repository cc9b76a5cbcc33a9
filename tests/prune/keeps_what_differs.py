import acme
from packaging.version import Version

if Version(acme.__version__) >= Version("2.1"):
    print("newer")
if acme.__version__ == "2.10.1":
    print("newest, unless built here")
if Version(acme.__version__) < Version("2.50"):
    print("so far")
if acme.__version__ < "2.2":
    print("compared as text")
