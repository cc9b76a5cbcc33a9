# What the lanes begin with: `root` is the checkout, `scratch` a folder that is gone at the end. To be sourced by bash.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV
export API_AUDIT_CACHE_DIR="$scratch/store" NO_COLOR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

fail() { echo "FAILED: $*" >&2; exit 1; }

project() { # project FILE: in this folder, a project that its settings audit; FILE does not fit the newer release
  cat > pyproject.toml <<'TOML'
[project]
name = "project"
version = "1.0"
dependencies = ["packaging>=21.0,<22"]

[tool.api-audit]
against = ["packaging==22.0"]
TOML
  printf 'from packaging.version import LegacyVersion\n\nprint(LegacyVersion("x"))\n' > "$1"
}
