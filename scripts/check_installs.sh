#!/usr/bin/env bash
# Install ibmap as users do, and try it: from the wheel and the sdist, each extra alone, with the oldest and the newest
# dependencies, on every Python from 3.11 on that is here.
#
#   scripts/check_installs.sh                everything (minutes)
#   scripts/check_installs.sh wheel sdist    some of: wheel sdist extras oldest pythons
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
wanted=${*:-wheel sdist extras oldest pythons}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m venv "$work/tools"
"$work/tools/bin/python" -m pip install --quiet build uv
"$work/tools/bin/python" -m build --outdir "$work/dist" . > "$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
wheel=$(ls "$work"/dist/*.whl)
sdist=$(ls "$work"/dist/*.tar.gz)
echo "built $(basename "$wheel") ($(du -k "$wheel" | cut -f1) kB) and $(basename "$sdist") ($(du -k "$sdist" | cut -f1) kB)"

# try NAME WHAT [OPTIONS OF UV]: a fresh environment, an install, a table learned by command and by Python
try() {
  local name=$1 what=$2 interpreter=${4:-$python}
  "$work/tools/bin/uv" venv --quiet --python "$interpreter" "$work/env"
  # shellcheck disable=SC2086
  "$work/tools/bin/uv" pip install --quiet --python "$work/env/bin/python" ${3:-} "$what"
  (cd "$work" && "$work/env/bin/python" "$OLDPWD/scripts/smoke.py" "$name")
  echo "ok: $name, $("$work/env/bin/python" --version), $(du -sm "$work/env" | cut -f1) MB"
  rm -rf "$work/env"
}

for each in $wanted; do
  case $each in
    wheel) try "wheel" "$wheel" ;;
    sdist) try "sdist" "$sdist" ;;
    extras)
      for extra in $(sed -n '/optional-dependencies/,/^dev/s/^\([a-z]*\) = .*/\1/p' pyproject.toml); do
        case $extra in docs | dev) continue ;; esac
        try "extra $extra" "$wheel[$extra]"
      done ;;
    oldest) try "oldest dependencies" "$wheel" "--resolution lowest-direct" ;;
    pythons)
      for minor in 11 12 13 14; do
        # a name may be there without an interpreter behind it
        if found=$(command -v "python3.$minor") && "$found" -c "" 2> /dev/null; then try "python 3.$minor" "$wheel" "" "$found"; else echo "not here: python 3.$minor"; fi
      done ;;
    *) echo "no such check: $each" >&2; exit 2 ;;
  esac
done
