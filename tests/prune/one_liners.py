import acme

if acme.__version__ >= "2.0": print("new"); print("really")  # both
else: print("old")
if acme.__version__.startswith("1"): print("old")
# --- becomes
print("new"); print("really")  # both
