import acme

if acme.__version__.startswith("1."):
    a = 1
elif input():
    a = 2
else:
    a = 3
# --- becomes
if input():
    a = 2
else:
    a = 3
