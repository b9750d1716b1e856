#!/usr/bin/env bash
# PrairieLearn runs this for each submission, in a new container. The libraries are in the image (Dockerfile); the
# network is not available.
set -euo pipefail
python -m pip install --quiet --no-index --no-deps --root-user-action=ignore /grade/tests/lxmls_day1-*.whl
chmod -R go-rwx /grade
export LXMLS_DAY1_CACHE=/opt/lxmls-day1-cache
exec python -I -m lxmls_day1.grading.autograder_entry prairielearn --settings /grade/tests/settings.json \
    --submission /grade/student --results /grade/results/results.json
