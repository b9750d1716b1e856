// Installs and compiles what the pages import at their start: node compile_modules.js FOLDER, where FOLDER holds packages.json and the runtime.
// In a page both would take half of the time until the first verdict. The runtime itself compiles, so the version is always right.
"use strict";
const { createHash } = require("crypto");
const fs = require("fs");
const path = require("path");
const zlib = require("zlib");
const folder = path.resolve(process.argv[2]);
const table = JSON.parse(fs.readFileSync(path.join(folder, "packages.json")));
const runtime = path.join(folder, table.runtime);
const FILES = "packages.dat"; // The installed packages and the lab in one file, with the compiled modules.
const LIBRARY = "library.zip"; // The standard library of the pages: compiled modules replace their sources. The browser lab keeps the sources.
// Without columns for tracebacks, and without docstrings of packages, for which nobody calls help() in a page, what is compiled is smaller: a page
// loads at most 19 MB until the first verdict.
const INSTALLED = `
import pathlib
import site

FOR_COMPILERS = {".a", ".c", ".h", ".pxd", ".pyi"}
PLACE = site.getsitepackages()[0]
paths = [path for place in (PLACE, LAB) for path in pathlib.Path(place).rglob("*") if path.is_file()]
unused = [path for path in paths if "numpy" in path.parts and path.suffix in FOR_COMPILERS]
files = {str(path): path.read_bytes() for path in paths if path not in unused}
`;
const COMPILE = `
import ast
import io
import json
import sys
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc

(ARCHIVE,) = [path + "/" for path in sys.path if path.endswith(".zip")]
standard = {}
for spec in [getattr(module, "__spec__", None) for module in sys.modules.values()]:
    path = getattr(spec, "origin", None) or ""
    installed = path.endswith(".py") and path.startswith((PLACE, ARCHIVE)) and "/reference_lab/" not in path  # A lab is read as sources.
    if not installed or not (source := spec.loader.get_source(spec.name)):
        continue
    tree = ast.parse(source)
    for node in ast.walk(tree):
        # help() shows those of Python and NumPy; and numpy.ma, which SciPy imports, edits NumPy's.
        if "/site-packages/" in path and "/numpy/" not in path and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node, clean=False):
            node.body[0].value.value = "."  # For an empty one a dataclass would compute its signature.
    compiled = _code_to_hash_pyc(compile(tree, path, "exec", dont_inherit=True), bytes(8), False)
    if path.startswith(ARCHIVE):
        standard[path.removeprefix(ARCHIVE)] = compiled
    else:
        files.pop(path, None)  # two names may have one file
        files[path + "c"] = compiled
assert standard and len(files) > 100, f"few modules of {PLACE} or {ARCHIVE} are imported"

library = io.BytesIO()
with zipfile.ZipFile(ARCHIVE.rstrip("/")) as sources, zipfile.ZipFile(library, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for file in sources.infolist():
        content = standard.get(file.filename)
        entry = zipfile.ZipInfo(file.filename + "c" * (content is not None), file.date_time)
        archive.writestr(entry, content or sources.read(file), zipfile.ZIP_DEFLATED)
names = json.dumps([[path, len(content)] for path, content in files.items()]).encode()
len(names).to_bytes(4, "little") + names + b"".join(files.values()), library.getvalue()
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
  python.globals.set("LAB", table.folder);
  python.runPython(INSTALLED); // before anything is written
  const worker = fs.readFileSync(path.join(folder, "exercise_worker.js"), "utf8");
  for (const program of [/WITHOUT_COLOURS = `([^`]+)`/, /runPython\("(import [^"]+)"\)/]) python.runPython(worker.match(program)[1]);
  globalThis.reportLine = () => {};
  const checks = python.pyimport("page_checks"); // What a check imports, too.
  checks.handle_request(table.folder, JSON.stringify({ kind: "check", exercise: "1.4", written: { 1.4: ["pass"] }, answers: {}, explained: [] }));
  const [files, library] = python.runPython(COMPILE).toJs();
  // The digest in the address of a file keeps a browser from taking that of an older site.
  const write = (name, content) => {
    fs.writeFileSync(path.join(folder, name), content);
    return `${name}?${createHash("sha256").update(content).digest("hex").slice(0, 12)}`;
  };
  const addresses = { files: write(FILES, zlib.deflateSync(files, { level: 9 })), library: write(LIBRARY, library) };
  fs.writeFileSync(path.join(folder, "packages.json"), JSON.stringify({ ...table, ...addresses }));
})().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
