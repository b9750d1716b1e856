// Runs pytest in Pyodide under Node: node in_pyodide.js RUNTIME CHECKOUT WHEELS ARGUMENTS...
// The checkout is mounted as it is; the runtime and the wheels are folders of files.
"use strict";
const fs = require("fs");
const path = require("path");
const [runtime, checkout, wheels, ...options] = process.argv.slice(2);
const { loadPyodide } = require(path.join(runtime, "pyodide.js"));

(async () => {
  const env = { HOME: "/home/pyodide", LXMLS_DAY1_OFFLINE: "1", PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" };
  const python = await loadPyodide({ indexURL: runtime, env, args: ["-W", "ignore"] });
  await python.loadPackage(["numpy", "scipy", "matplotlib", "scikit-learn", "pandas", "packaging", "pygments", "threadpoolctl"], { messageCallback() {} });
  for (const name of fs.readdirSync(wheels)) {
    python.unpackArchive(new Uint8Array(fs.readFileSync(path.join(wheels, name))), "zip", { extractDir: "/extra" });
  }
  python.FS.mkdirTree("/checkout");
  python.FS.mount(python.FS.filesystems.NODEFS, { root: checkout }, "/checkout");
  python.globals.set("options", python.toPy(options));
  process.exitCode = python.runPython(`
import os, sys, types

import numpy

sys.path[:0] = ["/checkout"]
sys.path.append("/extra")
os.chdir("/checkout")
sys.modules["_multiprocessing"] = types.ModuleType("_multiprocessing")  # So that the module of process pools can be imported, for its names.
print(f"Python {sys.version.split()[0]} on {sys.platform}, NumPy {numpy.__version__}", flush=True)
import pytest

#: Pyodide has neither processes nor threads: tests that start some are skipped, and counted as such.
LACKS = ("emscripten does not support processes", "can't start new thread", "Function not implemented")


class SkipWhatPyodideLacks:
    def pytest_collection_finish(self):
        import hypothesis

        hypothesis.settings.register_profile("few", hypothesis.settings(), max_examples=10)  # each takes several times as long
        hypothesis.settings.load_profile("few")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        text = str(call.excinfo.value) if call.excinfo else ""
        if report.failed and any(lack in text for lack in LACKS):
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1], f"Skipped: {text.splitlines()[-1][:80]}")
        return report


int(pytest.main(list(options), plugins=[SkipWhatPyodideLacks()]))
`);
})().catch((error) => {
  console.error(String(error));
  process.exitCode = 1;
});
