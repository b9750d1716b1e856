#!/usr/bin/env bash
# Gradescope runs this as root, once, when it builds the image. It needs the network for the libraries, unless pip's
# environment variables name another source.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# The image's own Python may be too old, or have no venv.
fits() { "$1" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2> /dev/null; }
python=
for candidate in python3.14 python3.13 python3.12 python3.11 python3; do
    if fits "$candidate"; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
    apt-get update
    for version in 3.12 3.11; do
        if apt-get install --yes --no-install-recommends "python$version" "python$version-venv"; then
            python=python$version
            break
        fi
    done
fi
if [ -z "$python" ]; then
    echo "There is no Python from 3.11 to 3.14 here, and apt has none: choose a newer base image for the autograder." >&2
    exit 1
fi

"$python" -m venv /opt/lxmls-day1
wheel=$(ls lxmls_day1-*.whl)
/opt/lxmls-day1/bin/python -m pip install --no-cache-dir -c constraints.txt "./$wheel[fast,grading]"

# This folder contains solutions and hidden checks, so only root may read it.
chmod -R go-rwx .

# Compute the data that all submissions need. The log of the build shows if grading works here.
export LXMLS_DAY1_CACHE=/opt/lxmls-day1/cache
/opt/lxmls-day1/bin/python -I -m lxmls_day1.grading.autograder_entry prepare --settings settings.json --prepared /opt/lxmls-day1/prepared
