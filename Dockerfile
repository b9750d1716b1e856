# For instructors: grading, each submission in a sandbox of its own. How to run it, and with which flags: docs/how-to/grade-in-docker.md.
FROM python:3.12-slim

RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap \
    && rm -rf /var/lib/apt/lists/*

COPY . /opt/day-1
RUN python -m pip install --no-cache-dir -c /opt/day-1/constraints.txt "/opt/day-1[fast,grading]" \
    && useradd --create-home instructor

USER instructor
WORKDIR /work
ENTRYPOINT ["lxmls-day1"]
CMD ["--help"]
