"""The runner for the GPU machine: knows patch files and a target environment, not how the patches were made."""
