// Starts Python as the pages use it, and writes its memory: node python_memory.js FOLDER, where FOLDER holds packages.json and the runtime.
// In a page, Python's start and its imports would take half of the time until the first verdict. The runtime itself compiles and starts, so the
// version is always right. start.js restores the memory.
"use strict";
const { createHash } = require("crypto");
const fs = require("fs");
const os = require("os");
const path = require("path");
process.env.TZ = "UTC"; // time.tzname is in the memory
const folder = path.resolve(process.argv[2]);
const table = JSON.parse(fs.readFileSync(path.join(folder, "packages.json")));
const runtime = path.join(folder, table.runtime);
const { loadPyodide } = require(path.join(runtime, "pyodide.js"));
const SPARE_SLOTS = 100; // of the table of functions, before those of extension modules: a browser may have functions that Node has not
const environment = { HOME: "/home/pyodide", LANG: "en_US.UTF-8", ...table.environment };
const { writeFiles, changeBy } = require(path.join(folder, "python_memory.js"));
const worker = fs.readFileSync(path.join(folder, "exercise_worker.js"), "utf8");
const [, withoutColours] = worker.match(/WITHOUT_COLOURS = `([^`]+)`/);
const [, imports] = worker.match(/runPython\("(import [^"]+)"\)/);

const INSTALLED = `
import pathlib
import site

FOR_COMPILERS = {".a", ".c", ".h", ".pxd", ".pyi"}
PLACE = site.getsitepackages()[0]
paths = [path for place in (PLACE, LAB) for path in pathlib.Path(place).rglob("*") if path.is_file()]
unused = [path for path in paths if "numpy" in path.parts and path.suffix in FOR_COMPILERS]
files = {str(path): path.read_bytes() for path in paths if path not in unused}
`;
// A check of every exercise whose answer does nothing, for what it imports.
const CHECK_ALL = `
import json
import page_checks

for exercise in page_checks.Registry.from_folder(pathlib.Path(LAB)):
    if exercise.files:
        name, source = page_checks.starter_source(exercise.id)
        texts = ["pass"] * len(page_checks.find_gaps(source, exercise.id))
        asked = {"kind": "check", "exercise": exercise.id, "written": {exercise.id: texts}, "explained": []}
        page_checks.handle_request(LAB, json.dumps(asked))
`;
// Without columns for tracebacks, without docstrings of packages, for which nobody calls help() in a page, and without what one exercise of eight
// needs, the memory is smaller: a page loads at most 19 MB until the first verdict. What is not in the memory is loaded when it is imported.
const SORTED = `
import ast
import io
import sys
import zipfile
import zlib
from importlib._bootstrap_external import _code_to_hash_pyc

(ARCHIVE,) = [path + "/" for path in sys.path if path.endswith(".zip")]
RARE = ["ma", "random"]  # packages of NumPy, which checks of two exercises need
# help() shows their docstrings, and numpy.ma edits NumPy's; that of the check in the plugin is its title.
DESCRIBED = (PLACE + "/numpy/", ARCHIVE, PLACE + "/lxmls_day1/course/running/pytest_plugin.py")

def compiled(source, path):
    tree = ast.parse(source)
    for node in ast.walk(tree):
        described = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node, clean=False)
        if described and not path.startswith(DESCRIBED):
            node.body[0].value.value = "."  # For an empty one a dataclass would compute its signature.
    return _code_to_hash_pyc(compile(tree, path, "exec", dont_inherit=True), bytes(8), False)

def is_module(path):
    return path.startswith((PLACE, ARCHIVE)) and path.endswith((".py", ".so")) and "/reference_lab/" not in path  # A lab is read as sources.

def rare(path):
    return next((package for package in RARE if path.startswith(f"{PLACE}/numpy/{package}/")), None)

with zipfile.ZipFile(ARCHIVE.rstrip("/")) as library:
    modules = {ARCHIVE + name: library.read(name) for name in library.namelist() if not name.endswith("/")}
modules |= {path: content for path, content in files.items() if is_module(path)}
specs = [spec for module in [*sys.modules.values()] if (spec := getattr(module, "__spec__", None)) and is_module(spec.origin or "")]
specs = [spec for spec in specs if not rare(spec.origin)]
origins = {spec.origin for spec in specs}
assert len(origins) > 300, f"few modules of {PLACE} or {ARCHIVE} are imported"

kept = {path: content for path, content in files.items() if path not in modules}
imported, later = {}, {}
for path, content in modules.items():
    if path not in origins:
        later[path.replace(ARCHIVE, str(pathlib.Path(PLACE).parent) + "/")] = content
    elif path.endswith(".py"):
        imported[path + "c"] = compiled(content, path)
    else:
        imported[path] = content

def in_one(contents):
    names = json.dumps([[path, len(content)] for path, content in contents.items()]).encode()
    return len(names).to_bytes(4, "little") + names + b"".join(contents.values())

def zipped(contents):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        for path, content in contents.items():
            entry = zipfile.ZipInfo(path)  # with a constant date, so that a browser may keep the archive of an older site that has the same files
            written.writestr(entry, content, zipfile.ZIP_DEFLATED, compresslevel=9)
    return archive.getvalue()

def module_name(path):
    parts = path.partition("/python3.")[2].partition("/")[2].removeprefix("site-packages/").partition(".")[0].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

def archive(contents):
    return {"content": zipped(contents), "names": sorted(module_name(path) for path in contents if path.endswith((".py", ".so")))}

packages, library = ({path: content for path, content in imported.items() if path.startswith(place)} for place in (PLACE, ARCHIVE))
{
    "names": json.dumps([spec.name for spec in specs]),
    "kept": in_one(kept),
    "packages": in_one(packages),
    "library": zipped({path.removeprefix(ARCHIVE): content for path, content in library.items()}),
    "deflated": lambda content: zlib.compress(content.to_py(), 9),
    "later": {
        f"{package or 'later'}.zip": archive({path: content for path, content in later.items() if rare(path) == package})
        for package in [*RARE, None]
    },
}
`;
const IMPORTED = `
import gc
import importlib
import json
import os
import site
import sys
import zipimport

for name in json.loads(NAMES):
    importlib.import_module(name)
# A page unpacks what comes later of the library into a folder, so packages of the archive search there, too.
(archive,) = [path for path in sys.path if path.endswith(".zip")]
folder = os.path.dirname(site.getsitepackages()[0])
for package in [module for module in sys.modules.values() if isinstance(getattr(module, "__path__", None), list)]:
    package.__path__ += [path.replace(archive, folder) for path in package.__path__ if path.startswith(archive)]
sys.path.remove("")  # In a page Pyodide inserts it again.
sys.path_importer_cache.clear()  # A page has other files.
zipimport._zip_directory_cache.clear()
gc.collect()
gc.freeze()
gc.disable()  # tools/python_memory.js enables it again
`;

// Installs the packages and the lab, and returns their files: those that are kept, and the modules, imported or loaded later.
async function sortedFiles() {
  const python = await loadPyodide({ indexURL: runtime, args: ["-X", "no_debug_ranges"], env: environment });
  const own = Object.values(table.packages).filter(({ name }) => table.load.includes(name));
  await python.loadPackage(table.load.filter((name) => !(name in table.packages)), { messageCallback() {} });
  const place = python.runPython("import site; site.getsitepackages()[0]");
  const unpack = (name, extractDir) => python.unpackArchive(new Uint8Array(fs.readFileSync(path.join(folder, name))), "zip", { extractDir });
  for (const { file_name: wheel } of own) unpack(wheel, place);
  unpack(table.archive, table.folder);
  python.globals.set("LAB", table.folder);
  python.runPython(INSTALLED); // before anything is written
  globalThis.reportLine = () => {};
  for (const program of [withoutColours, imports, CHECK_ALL]) python.runPython(program);
  return python.runPython(SORTED).toJs({ dict_converter: Object.fromEntries });
}

// Starts Python from these files, imports the modules, and returns its memory, the size of what the program brings of it, and the extension modules in
// it: which part of the memory each has, and how many slots of the table of functions are taken before.
async function pythonMemory({ names, kept, packages, library }) {
  let program;
  const instantiate = WebAssembly.instantiate;
  WebAssembly.instantiate = async (code, imports) => {
    WebAssembly.instantiate = instantiate;
    const started = await instantiate(code, imports);
    program = new Uint8Array(imports.env.memory.buffer).slice();
    return started;
  };
  const archive = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "library-")), "library.zip");
  process.once("exit", () => fs.rmSync(path.dirname(archive), { recursive: true })); // also after an error
  fs.writeFileSync(archive, library);
  const fsInit = async (files) => [kept, packages].forEach((content) => writeFiles(files, content));
  const own = { _makeSnapshot: true, _sysExecutable: "/home/pyodide/this.program" }; // the name in a browser
  const python = await loadPyodide({ indexURL: runtime, stdLibURL: archive, env: environment, fsInit, ...own });
  python._module.wasmTable.grow(SPARE_SLOTS);
  python.runPython(withoutColours);
  const globals = python.toPy({ NAMES: names });
  python.runPython(IMPORTED, { globals });
  globals.destroy();
  const { HEAPU32, LDSO } = python._module;
  const extensions = Object.entries(LDSO.loadedLibsByHandle).filter(([, { name }]) => name.endsWith(".so"));
  const described = extensions.map(([handle, { name }]) => {
    const [start, size, slot] = HEAPU32.subarray(handle / 4 + 3); // fields of Emscripten's `struct dso`
    return { name, handle: Number(handle), start, size, slot };
  });
  described.sort((one, other) => one.slot - other.slot);
  for (const name in python.loadedPackages) delete python.loadedPackages[name]; // Pyodide writes the memory of a Python without packages only.
  const snapshot = python.makeMemorySnapshot();
  const size = 4 * Math.ceil((program.findLastIndex((byte) => byte !== 0) + 1) / 4);
  changeBy(snapshot, program, size);
  return { snapshot, size, extensions: described };
}

(async () => {
  const files = await sortedFiles();
  const { snapshot, size, extensions } = await pythonMemory(files);
  // The digest in the address of a file keeps a browser from taking that of an older site.
  const write = (name, content) => {
    fs.writeFileSync(path.join(folder, name), content);
    return `${name}?${createHash("sha256").update(content).digest("hex").slice(0, 12)}`;
  };
  const deflated = (content) => files.deflated(content).toJs(); // Python's zlib makes them 2 % smaller than that of Node.
  const addresses = { files: write("files.dat", deflated(files.kept)), memory: write("memory.dat", deflated(snapshot)) };
  const later = Object.entries(files.later).map(([name, { content, names }]) => ({ address: write(name, content), names, soon: name !== "later.zip" }));
  const started = { ...addresses, size, extensions, later };
  fs.writeFileSync(path.join(folder, "packages.json"), JSON.stringify({ ...table, started }));
})().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
