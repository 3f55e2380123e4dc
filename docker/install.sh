#!/bin/sh
# Installs Envcurate for production: docker/install.sh PREFIX
#
#   PREFIX/venv  what production needs of requirements.lock, every file held to its hash
#   PREFIX/app   the code, compiled, with its static files collected; nothing writes there later
#
# Needs Python 3.11 or newer (PYTHON, else python3) and no right but to write PREFIX. Running it again
# brings PREFIX up to date; packages are installed anew only when the lock or the Python changed.
set -eu

doing="the start"
trap '[ $? -eq 0 ] || echo "install.sh: $doing failed" >&2' EXIT

fail() {
    trap - EXIT
    echo "install.sh: $1" >&2
    exit 2
}

[ $# -eq 1 ] || fail "called with $# arguments: give one, the folder to install into"
python=${PYTHON:-python3}
source=$(cd "$(dirname "$0")/.." && pwd -P)
command -v "$python" >/dev/null || fail "there is no program $python: set PYTHON to a Python 3.11 or newer"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$python is $("$python" -V 2>&1): set PYTHON to a Python 3.11 or newer"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python cannot make environments: install its venv package (Debian: python3-venv)"
case $(realpath -m "$1")/ in
"$source"/*) fail "$1 lies within the source $source: choose a folder elsewhere" ;;
esac
{ mkdir -p "$1" 2>/dev/null && [ -w "$1" ]; } ||
    fail "the folder $1 cannot be made or written: choose another, or give it to $(id -un)"
prefix=$(cd "$1" && pwd -P)

packages() {
    lock=$("$python" - "$source" <<'END'
import hashlib, pathlib, sys
source = pathlib.Path(sys.argv[1])
files = [source / name for name in ("requirements.lock", "pyproject.toml", "docker/locked.py")]
print(hashlib.sha256(b"".join(map(pathlib.Path.read_bytes, files)) + sys.version.encode()).hexdigest())
END
    )
    if [ "$(cat "$prefix/venv/installed" 2>/dev/null)" = "$lock" ]; then
        return
    fi
    rm -rf "$prefix/venv"
    "$python" -m venv "$prefix/venv"
    "$prefix/venv/bin/python" "$source/docker/locked.py" >"$prefix/venv/requirements.txt"
    "$prefix/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
        --only-binary :all: --require-hashes --requirement "$prefix/venv/requirements.txt"
    "$prefix/venv/bin/python" -m pip check --quiet --disable-pip-version-check
    echo "$lock" >"$prefix/venv/installed"
}

code() {
    new=$prefix/app.new
    rm -rf "$new"
    mkdir "$new"
    for part in manage.py pyproject.toml envcurate worlds agents components triage benchmarks library \
        templates static examples docs; do
        cp -R "$source/$part" "$new/"
    done
    find "$new" -name __pycache__ -prune -exec rm -rf {} +
    # Neither is used for collecting, but without them the settings would look for services of their own.
    ENVCURATE_SECRET_KEY=collecting DATABASE_URL=postgresql://nobody@localhost/none \
        "$prefix/venv/bin/python" "$new/manage.py" collectstatic --no-input --verbosity 0
    "$prefix/venv/bin/python" -m compileall -q -f -s "$new" -p "$prefix/app" -x /library/ "$new"
    rm -rf "$prefix/app.old"
    if [ -e "$prefix/app" ]; then
        mv "$prefix/app" "$prefix/app.old"
    fi
    mv "$new" "$prefix/app"
    rm -rf "$prefix/app.old"
}

doing="installing the packages (what pip said stands above)"
packages
doing="installing the code ($prefix/app is as it was)"
code
echo "installed in $prefix: run programs in $prefix/app, with $prefix/venv/bin in front of PATH"
