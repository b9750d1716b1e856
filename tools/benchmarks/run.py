"""Run the benchmarks one after the other: ``make bench``, or ``make bench ARGS="online"`` for one of them.

Each runs in a process of its own, prints its results, and saves them in ``results.toml``; then the tables of the pages are written
from that file. With ``--quick`` the data are smaller, and nothing is saved.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from results import write_tables

FOLDER = Path(__file__).resolve().parent


def main():
    benchmarks = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", metavar="which", help=f"{', '.join(benchmarks)}; default: all")
    parser.add_argument(
        "--quick", action="store_true", help="smaller data and fewer repeats, to see that they run; saves nothing"
    )
    chosen = parser.parse_args()
    if unknown := set(chosen.which) - set(benchmarks):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(benchmarks)}")
    # Idle threads of a linear algebra library slow down whatever runs next, so every library gets one thread.
    environment = os.environ | {
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
        "PYTHONPATH": os.pathsep.join([str(FOLDER.parents[1]), str(FOLDER)]),
    }
    failed = []
    for name in chosen.which or benchmarks:
        call = f"import bench_{name} as b; b.main(quick={chosen.quick})"
        if subprocess.run([sys.executable, "-c", call], env=environment, check=False).returncode:
            failed.append(name)
    if not chosen.quick:
        write_tables()
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
