// Compiles the Python modules that the pages import at their start: node compile_modules.js FOLDER, where FOLDER holds packages.json and the
// runtime. Compilation takes a third of the time until the first verdict. The runtime itself compiles, so the version is always right.
"use strict";
const fs = require("fs");
const path = require("path");
const zlib = require("zlib");
const folder = path.resolve(process.argv[2]);
const table = JSON.parse(fs.readFileSync(path.join(folder, "packages.json")));
const runtime = path.join(folder, table.runtime);
const NAME = "compiled.dat";
const LIBRARY = "library.zip"; // The standard library of the pages: compiled modules replace their sources. The browser lab keeps the sources.
// Without docstrings, which no page shows, and without columns for tracebacks, what is compiled is a third smaller: a page loads at most 20 MB
// until the first verdict.
const COMPILE = `
import ast
import io
import marshal
import site
import sys
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc

PLACE = site.getsitepackages()[0] + "/"
(ARCHIVE,) = [path + "/" for path in sys.path if path.endswith(".zip")]
codes, standard = {}, {}
for spec in [getattr(module, "__spec__", None) for module in sys.modules.values()]:
    path = getattr(spec, "origin", None) or ""
    if not path.startswith((PLACE, ARCHIVE)) or not path.endswith(".py") or not (source := spec.loader.get_source(spec.name)):
        continue
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node, clean=False):
            node.body[0].value.value = "."  # For an empty one a dataclass would compute its signature.
    code = compile(tree, path, "exec", dont_inherit=True)
    if path.startswith(ARCHIVE):
        standard[path.removeprefix(ARCHIVE)] = _code_to_hash_pyc(code, bytes(8), False)
    else:
        codes[path] = marshal.dumps(code)
assert codes and standard, f"no module of {PLACE} or {ARCHIVE} is imported"

compiled = io.BytesIO()
with zipfile.ZipFile(ARCHIVE.rstrip("/")) as sources, zipfile.ZipFile(compiled, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for file in sources.infolist():
        content = standard.get(file.filename)
        entry = zipfile.ZipInfo(file.filename + "c" * (content is not None), file.date_time)
        archive.writestr(entry, content or sources.read(file), zipfile.ZIP_DEFLATED)
marshal.dumps(codes), compiled.getvalue()
`;

(async () => {
  const { loadPyodide } = require(path.join(runtime, "pyodide.js"));
  const args = ["-X", "no_debug_ranges"];
  const python = await loadPyodide({ indexURL: runtime, args, env: { HOME: "/home/pyodide", ...table.environment } });
  const own = Object.values(table.packages).filter(({ name }) => table.load.includes(name));
  await python.loadPackage(table.load.filter((name) => !(name in table.packages)), { messageCallback() {} });
  const wheels = own.map(({ file_name: name }) => path.join(folder, name));
  const place = python.runPython("import site; site.getsitepackages()[0]");
  for (const wheel of wheels) python.unpackArchive(new Uint8Array(fs.readFileSync(wheel)), "zip", { extractDir: place });
  python.unpackArchive(new Uint8Array(fs.readFileSync(path.join(folder, table.archive))), "zip", { extractDir: table.folder });
  python.runPython(fs.readFileSync(path.join(folder, "exercise_worker.js"), "utf8").match(/runPython\("(import [^"]+)"\)/)[1]);
  globalThis.reportLine = () => {};
  const checks = python.pyimport("lxmls_day1.course.reports.page_checks"); // What a check imports, too.
  checks.handle_request(table.folder, JSON.stringify({ kind: "check", exercise: "1.4", written: { 1.4: ["pass"] }, answers: {}, explained: [] }));
  const [codes, archive] = python.runPython(COMPILE).toJs();
  fs.writeFileSync(path.join(folder, NAME), zlib.deflateSync(codes, { level: 9 }));
  fs.writeFileSync(path.join(folder, LIBRARY), archive);
  fs.writeFileSync(path.join(folder, "packages.json"), JSON.stringify({ ...table, compiled: NAME, library: LIBRARY }));
})().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
