"""What runs inside the target environment: standard library and that environment's own packages, nothing of ours."""
