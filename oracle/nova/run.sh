#!/bin/sh
# Runs a step of the Nova oracle, in a virtual environment that it makes when
# there is none or when requirements.txt asks for something else.
#
#   ./run.sh record|check|choose|bench|constraints|verify [flags]
#
# PYTHON names the interpreter (python3; 3.11 or newer), NOVA_VENV a folder other
# than .venv for the environment.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=${NOVA_VENV:-$here/.venv}

if ! cmp -s "$here/requirements.txt" "$venv/requirements.txt"; then
    echo "nova oracle: installing $(head -n 1 "$here/requirements.txt") into $venv" >&2
    "${PYTHON:-python3}" -m venv "$venv" >&2
    "$venv/bin/pip" install --quiet --disable-pip-version-check \
        -r "$here/requirements.txt" -c "$here/constraints.txt" >&2
    cp "$here/requirements.txt" "$venv/requirements.txt"
fi
step=${1:?give a step: record, check, choose, bench, constraints or verify}
shift
export PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1
exec "$venv/bin/python" "$here/$step.py" "$@"
