#!/bin/sh
# Runs a step of the TuneD oracle with the system's Python, which is the one that
# Debian's package tuned installs its modules for.
#
#   ./run.sh record|check|bench [flags]
#
# PYTHON names the interpreter (/usr/bin/python3).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
step=${1:?give a step: record, check or bench}
shift
export PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
exec "${PYTHON:-/usr/bin/python3}" "$here/$step.py" "$@"
