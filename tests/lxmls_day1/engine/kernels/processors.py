"""Run the tests marked ``bits`` for this processor, and for each other processor whose machine code this processor can run.

    make test-processors
    make test-processors ARGS="--short"                 two processors, without the slow tests
    make test-processors ARGS="tests/classifiers"       other arguments are passed to pytest

numba compiles for the processor named by NUMBA_CPU_NAME. Processors differ in the length of their vectors and in fused
multiply-add, and therefore in the order of sums and in rounding; `PROCESSORS` has one of each kind.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from llvmlite.binding import get_host_cpu_features

ROOT = Path(__file__).resolve().parents[4]

#: LLVM's name -> the features that code for this processor needs beyond those of every processor of the family.
PROCESSORS = {
    "generic": "",
    "haswell": "avx2 bmi bmi2 f16c fma lzcnt movbe",
    "znver3": "adx avx2 bmi bmi2 f16c fma lzcnt movbe sse4a vaes vpclmulqdq",
    "skylake-avx512": "adx avx512bw avx512cd avx512dq avx512f avx512vl bmi2 fma lzcnt movbe",
    "znver4": "avx512bf16 avx512bitalg avx512bw avx512dq avx512vbmi2 avx512vl bmi2 fma gfni sse4a",
    "neoverse-n1": "crc dotprod fullfp16 lse rcpc",
}
SHORT = ("generic",)  # In addition to this processor, which every test run uses.


def that_run_here() -> list[str]:
    """Return the names in `PROCESSORS` whose machine code this processor can run."""
    try:
        features = {name for name, there in get_host_cpu_features().items() if there}
    except RuntimeError:  # llvmlite does not know the features.
        features = set()
    return [name for name, needed in PROCESSORS.items() if features.issuperset(needed.split())]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--short", action="store_true", help=f"{', '.join(SHORT)} alone, without the slow tests")
    chosen, of_pytest = options.parse_known_args()
    marks = "bits and not campaign" + " and not slow" * chosen.short
    pytest = [sys.executable, "-m", "pytest", *["-q", "-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]]
    own = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")}
    failed = []
    for name in SHORT if chosen.short else ("this processor", *that_run_here()):
        print(f"{name}:", flush=True)
        processor = {} if name == "this processor" else {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""}
        command = [*pytest, "-m", marks, *(of_pytest or ["tests"])]
        if subprocess.run(command, cwd=ROOT, env={**own, **processor}).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
