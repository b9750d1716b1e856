// The memory of a Python that has imported what a check needs. docs/write_python_memory.js writes it, and start.js restores it in a page, where
// Python's start and its imports would take half of the time until the first verdict.
//
// Pyodide restores the memory of Python itself. Three things are no part of it:
// - files, which come in one: their names with sizes, then the contents one after another;
// - extension modules: each is loaded again to the place where it was, then what it has written there is replaced;
// - other modules, which few checks import: they come in archives, which are read when one of their modules is imported.
"use strict";

function writeFiles(files, content) {
  let at = 4 + new DataView(content.buffer, content.byteOffset).getUint32(0, true);
  const folders = new Set();
  for (const [path, size] of JSON.parse(new TextDecoder().decode(content.subarray(4, at)))) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(folder)) files.mkdirTree(folder);
    folders.add(folder);
    files.writeFile(path, content.subarray(at, at + size), { canOwn: true });
    at += size;
  }
}

// Pyodide writes a header before the memory.
const memoryOf = (snapshot) => snapshot.subarray(new Uint32Array(snapshot.buffer, snapshot.byteOffset)[1]);

// The program, which a page loads anyway, brings `size` bytes of its memory, so the site has only the difference to them.
function changeBy(snapshot, program, size) {
  const memory = memoryOf(snapshot);
  const [words, others] = [memory, program].map((one) => new Uint32Array(one.buffer, one.byteOffset, size / 4));
  for (let i = 0; i < words.length; i++) words[i] ^= others[i];
}

function loadExtensions(python, snapshot, extensions) {
  const memory = memoryOf(snapshot);
  const { loadDynamicLibrary, wasmTable } = python._module;
  for (const { name, handle, start, size, slot } of extensions) {
    if (wasmTable.length > slot) throw new Error(`${name} belongs to slot ${slot} of the table of functions, which has ${wasmTable.length}.`);
    wasmTable.grow(slot - wasmTable.length);
    loadDynamicLibrary(name, { nodelete: true }, {}, handle);
    python._module.HEAPU8.set(memory.subarray(start, start + size), start);
  }
}

// The program counts the arguments of functions by one that only some browsers can compile; it is in the table of functions, before the extensions.
function countArguments({ HEAP32, __PyRuntime, __PyEM_EMSCRIPTEN_COUNT_ARGS_OFFSET: offset, _PyEM_CountArgsPtr: counting }) {
  HEAP32[(__PyRuntime + HEAP32[offset / 4]) / 4] = counting;
}

const AWAKE = `
import gc
import importlib
import io
import random
import sys
import zipfile
from importlib.machinery import PathFinder

gc.enable()
random.seed()

def load_later(names, read):
    waiting = set(names)

    class Later:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name not in waiting:
                return None
            try:
                zipfile.ZipFile(io.BytesIO(read().to_bytes())).extractall("/")
            except Exception as error:
                raise ImportError(f"{name} is in a part of Python that could not be loaded: {error}", name=name) from None
            waiting.clear()
            importlib.invalidate_caches()
            return PathFinder.find_spec(name, path, target)

    sys.meta_path.insert(sys.meta_path.index(PathFinder), Later)  # A folder that has files already would be found as a package.

load_later
`;

// exercise_worker.js reads `self.notLoaded`: a check that fails because a part of Python is missing says nothing about the reader's code.
function fetchNow(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false); // An import cannot wait in another way.
  request.responseType = "arraybuffer";
  try {
    request.send();
    if (request.status !== 200) throw new Error(`${address} is missing from the site (${request.status}).`);
  } catch (error) {
    self.notLoaded = String(error.message);
    throw error;
  }
  return new Uint8Array(request.response);
}

const KEEP_SOON = 5; // seconds after the start

// Some checks need these archives, which a reader who has gone offline could not load. If one does not arrive, an import will say so.
function fetchSoon(address, keep) {
  const request = new XMLHttpRequest(); // The page tells of what `fetch` loads.
  request.open("GET", address);
  request.responseType = "arraybuffer";
  request.onload = () => {
    if (request.status === 200) keep(new Uint8Array(request.response));
  };
  request.send();
}

const NO_LIBRARY = "data:application/zip;base64,UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA=="; // an empty archive

// Start to load what `started`, an entry of packages.json, names; `inflated` returns the content of a file of the site. The result has what start.js
// does on the way: options of loadPyodide, and steps.
function restorePython(started, here, inflated) {
  const [files, snapshot] = [started.files, started.memory].map((name) => inflated(new URL(name, here)));
  return {
    files,
    options: { _loadSnapshot: snapshot, stdLibURL: NO_LIBRARY },
    writeFiles: async (place) => writeFiles(place, await files),
    withProgram: async (memory) => changeBy(await snapshot, memory, started.size),
    async finish(python) {
      countArguments(python._module);
      loadExtensions(python, await snapshot, started.extensions);
      const loadLater = python.runPython(AWAKE, { globals: python.toPy({}) }); // apart from the names of the reader's Python
      for (const { address, names, soon } of started.later) {
        const place = new URL(address, here);
        let content = null;
        loadLater(names, () => content ?? fetchNow(place));
        if (soon) setTimeout(() => fetchSoon(place, (found) => (content = found)), 1000 * KEEP_SOON);
      }
    },
    hasArrived: () => Promise.all([files, snapshot]).then(() => true, () => false),
  };
}

if (typeof module !== "undefined") module.exports = { writeFiles, changeBy };
