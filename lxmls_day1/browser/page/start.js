// Runs in the kernel's worker instead of pyodide.js, and starts Python with the packages of this site.
//
// Usually JupyterLite's part of the worker loads it. To save time page.js may start a worker with this file while JupyterLab is still loading.
// It sends the address of JupyterLite's part later, which loads this file again and finds Python started.
//
// The lock file of Pyodide gets an entry for each package that the site provides, so that all packages are loaded at the same time and none
// is searched on the network. The progress of loading is reported to the page (page.js).
"use strict";
if (self.lxmlsDay1) {
  self.loadPyodide = () => self.lxmlsDay1;
} else {
  const tell = new BroadcastChannel("lxmls-day1");
  const say = (message) => tell.postMessage(message);
  const plainFetch = self.fetch;
  const TELL_AGAIN = 0.25; // seconds between two reports, because showing them slows down the loading
  let told = 0;
  let started = 0;
  let loaded = 0;
  let missing = "";
  let failed = false; // no more reports after a failure, even if files still arrive

  function sayLoading(name) {
    if (failed || performance.now() - told < 1000 * TELL_AGAIN) return;
    told = performance.now();
    say({ kind: "loading", name, started, loaded });
  }

  // Pyodide passes the checksum of a file to `fetch`, whose error is the same for a missing and for a changed file.
  async function whyNot(address) {
    const answer = await plainFetch(address, { method: "HEAD" }).catch(() => null);
    if (!answer) return `${address} could not be loaded: the site does not answer.`;
    if (!answer.ok) return `${address} is missing from the site (${answer.status}).`;
    return changed(address);
  }

  const changed = (address) => `${address} is not the file that belongs to this site: it was changed or truncated.`;

  const early = new Map(); // from address to a file that is requested before Pyodide needs it

  // Pyodide calls `fetch` for each file of a package.
  const countedFetch = async (resource, ...rest) => {
    const address = String(resource?.url ?? resource);
    if (!/\.(whl|zip|wasm|dat)(\?|$)/.test(address)) return plainFetch(resource, ...rest);
    const before = early.get(address);
    if (early.delete(address)) return before;
    const name = decodeURIComponent(address.split("/").pop()).split("-")[0].replace(/\.\w+$/, "");
    started += 1;
    sayLoading(name);
    const response = await plainFetch(resource, ...rest).catch(() => null);
    if (!response?.ok) {
      missing = await whyNot(address);
      throw new Error(missing);
    }
    loaded += 1;
    sayLoading(name);
    return response;
  };

  function fetchEarly(address, ...options) {
    const file = countedFetch(address, ...options);
    file.catch(() => {}); // Pyodide reports it
    early.set(address, file);
    return file;
  }

  // Pyodide would load and compile its program only after its scripts. `withMemory` is called with the memory that the program brings.
  function compileEarly(address, withMemory) {
    const program = WebAssembly.compileStreaming(fetchEarly(address));
    program.catch(() => {}); // Pyodide reports it
    WebAssembly.instantiateStreaming = async (_, imports) => {
      const module = await program;
      const instance = await WebAssembly.instantiate(module, imports);
      await withMemory?.(new Uint8Array(imports.env.memory.buffer));
      return { module, instance };
    };
  }

  // A Python module that makes the start faster; a .pth file makes Python run it before all other imports.
  // - Compilation takes most of the time of an import, so the browser saves compiled modules, and this module restores them at the next start.
  // - An extension module is loaded when it is imported; Pyodide would load all hundred extension modules of scipy.
  // - A wheel is unpacked only as far as the start needs it. The rest is unpacked when it is imported, and the files for completion soon
  //   after the start.
  // - IPython's part for terminals is left out.
  // - The version of the font list in Pyodide's matplotlib is corrected, because matplotlib would otherwise read a hundred files again.
  const SOONER = `
import importlib.machinery
import marshal
import zipimport

loader = importlib.machinery.SourceFileLoader
of_file, of_zip = loader.source_to_code, zipimport._compile_source

try:
    with open("/lib/compiled", "rb") as kept:
        codes = marshal.loads(kept.read())
except (OSError, ValueError, EOFError, TypeError):  # nothing was kept, or it is damaged
    codes = {}
n_kept = len(codes)

def code(path, compiled):
    if not path.startswith("/lib/"):  # a student's file, which changes
        return compiled()
    if path in codes:
        return marshal.loads(codes[path])
    new = compiled()
    codes[path] = marshal.dumps(new)
    return new

def of_file_once(self, data, path, *, _optimize=-1):
    return code(path, lambda: of_file(self, data, path, _optimize=_optimize))

def to_keep():
    global n_kept
    if len(codes) == n_kept:
        return None
    n_kept = len(codes)
    return marshal.dumps(codes)

loader.source_to_code = of_file_once
zipimport._compile_source = lambda path, data: code(path, lambda: of_zip(path, data))
zipimport.zipimporter.invalidate_caches = lambda self: None  # the archive of the standard library stays as it is

def unpack_less():
    import io
    import json
    import pathlib
    import re
    import shutil
    import sys
    import types
    import zipfile

    import pyodide._package_loader as packages

    libraries = packages.get_dynlibs
    packages.get_dynlibs = lambda file, suffix, folder: [] if suffix == ".whl" else libraries(file, suffix, folder)

    LATER = re.compile(
        r"(fontTools|jedi/third_party|numpy/(_core/(include|tests)|f2py|ma|polynomial|testing|tests|typing)|pytz|scipy/(?!_lib|linalg|sparse)\\w+)/"
        r"|pygments/lexers/(?=.)(?!__init__|_mapping|diff|python)"
    )
    waiting = {}  # the beginning of paths -> their archive, where they belong

    def unpack(file, folder):
        archive = zipfile.ZipFile(io.BytesIO(pathlib.Path(file).read_bytes()))
        unpack_files(archive, folder, [name for name in archive.namelist() if not LATER.match(name)])
        waiting.update((found[0], (archive, folder)) for found in map(LATER.match, archive.namelist()) if found)
        if "matplotlib/fontlist.json" in archive.namelist():
            accept_list_of_fonts(pathlib.Path(folder, "matplotlib"))

    def accept_list_of_fonts(folder):
        fonts = json.loads((folder / "fontlist.json").read_text())
        fonts["_version"] = int(re.search(r"__version__ = (\\d+)", (folder / "font_manager.py").read_text())[1])
        for kind in ("afmlist", "ttflist"):
            fonts[kind] = [font for font in fonts[kind] if not font["fname"].startswith("/")]
        (folder / "fontlist.json").write_text(json.dumps(fonts))

    def unpack_files(archive, folder, names):
        for parent in {name.rpartition("/")[0] for name in names}:
            pathlib.Path(folder, parent).mkdir(parents=True, exist_ok=True)
        for name in names:
            if not name.endswith("/"):
                with open(f"{folder}/{name}", "wb", buffering=0) as unpacked:
                    unpacked.write(archive.read(name))

    def unpack_rest(beginning):
        if beginning in waiting:
            archive, folder = waiting.pop(beginning)
            unpack_files(archive, folder, [name for name in archive.namelist() if name.startswith(beginning)])

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            found = LATER.match(name.replace(".", "/") + "/")
            if not found or found[0] not in waiting:
                return None
            unpack_rest(found[0])
            importlib.invalidate_caches()
            return importlib.machinery.PathFinder.find_spec(name, path, target)

    shutil.unregister_unpack_format("whl")
    shutil.register_unpack_format("whl", [".whl", ".wheel"], unpack)
    sys.meta_path.append(Finder)

    embed = types.ModuleType("IPython.terminal.embed")
    embed.embed = None
    sys.modules[embed.__name__] = embed
    return unpack_rest
`;
  const KEEP_AGAIN = 20; // seconds
  const COMPLETION = "jedi/third_party/"; // these files are not imported as modules
  const UNPACK_IT = 5; // seconds after the start

  // The modules compiled before for this set of packages, and a function that saves them. Without a cache in the browser it has no effect.
  async function compiledBefore(here, text) {
    try {
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
      const place = new URL(`compiled-${[...digest].map((x) => x.toString(16).padStart(2, "0")).join("")}`, here).href;
      const cache = await caches.open("lxmls-day1");
      for (const { url } of await cache.keys()) {
        if (url.startsWith(here) && url !== place) await cache.delete(url);
      }
      const found = await cache.match(place);
      return {
        code: found && new Uint8Array(await found.arrayBuffer()),
        keep: (content) => cache.put(place, new Response(content)).catch(() => {}),
      };
    } catch {
      return { code: null, keep() {} };
    }
  }

  async function inflated(address) {
    const { body } = await countedFetch(address);
    const content = new Response(body.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
    return new Uint8Array(await content.catch(() => Promise.reject(new Error(changed(address)))));
  }

  // Before Python starts, write the module that it runs first.
  const placeSooner = (before, restoring) => async (files, { sitePackages }) => {
    files.mkdirTree(sitePackages);
    await restoring?.writeFiles(files);
    files.writeFile(`${sitePackages}/start_sooner.py`, SOONER);
    files.writeFile(`${sitePackages}/start_sooner.pth`, "import start_sooner\n");
    const { code } = await before;
    if (code) files.writeFile("/lib/compiled", code);
  };

  function startSooner(pyodide, before) {
    const { to_keep: toKeep, unpack_less: unpackLess } = pyodide.pyimport("start_sooner");
    setInterval(() => {
      const codes = toKeep();
      if (codes) {
        before.keep(codes.toJs());
        codes.destroy();
      }
    }, 1000 * KEEP_AGAIN);
    return unpackLess();
  }

  const checksum = (sha256) => ({ integrity: "sha256-" + btoa(String.fromCharCode(...sha256.match(/../g).map((x) => parseInt(x, 16)))) });

  async function bytes(address) {
    const response = await countedFetch(address);
    return response.arrayBuffer();
  }

  // `here` is the address of the folder that contains this file. A memory replaces the packages, the standard library and their imports, if the site
  // has one, and if the browser can decompress and restore it.
  async function startPython(here, fromMemory = "DecompressionStream" in self) {
    let restoring = null;
    try {
      self.fetch = countedFetch;
      const text = await (await plainFetch(new URL("packages.json", here))).text();
      const table = JSON.parse(text);
      const index = new URL(table.runtime, here).href;
      compileEarly(index + "pyodide.asm.wasm", (memory) => restoring?.withProgram(memory));
      const lock = await (await plainFetch(index + "pyodide-lock.json", checksum(table.lock_sha256))).json();
      for (const entry of Object.values(lock.packages)) entry.file_name = index + entry.file_name;
      for (const [name, entry] of Object.entries(table.packages)) {
        lock.packages[name] = { ...entry, file_name: new URL(entry.file_name, here).href };
      }
      if (fromMemory && table.started) {
        importScripts(new URL("python_memory.js", here));
        // It keeps this worker busy, so it comes after what the others wait for.
        restoring = self.restorePython(table.started, here, inflated);
      }
      const load = restoring ? [] : table.load;
      const archive = table.archive && !restoring ? bytes(new URL(table.archive, here)) : null;
      for (const { file_name: address, sha256 } of load.map((name) => lock.packages[name])) fetchEarly(address, checksum(sha256));
      const lockFileURL = URL.createObjectURL(new Blob([JSON.stringify(lock)], { type: "application/json" }));
      importScripts(index + "pyodide.js");
      const environment = { HOME: "/home/pyodide", ...table.environment };
      const before = compiledBefore(here, text);
      const fsInit = placeSooner(before, restoring);
      const started = self.loadPyodide({ indexURL: index, lockFileURL, packages: [], env: environment, fsInit, ...restoring?.options });
      const [pyodide] = await Promise.all([started, restoring?.files]);
      await restoring?.finish(pyodide);
      const unpackRest = startSooner(pyodide, await before);
      if (restoring) for (const name of table.load) pyodide.loadedPackages[name] = "default channel";
      await pyodide.loadPackage(load);
      if (missing) throw new Error(missing); // Pyodide would continue without the package
      if (archive) {
        pyodide.FS.mkdirTree(table.folder);
        pyodide.unpackArchive(await archive, "zip", { extractDir: table.folder });
      }
      say({ kind: "starting" });
      const run = pyodide.runPythonAsync;
      pyodide.runPythonAsync = async (code, ...rest) => {
        const result = await run(code, ...rest);
        if (code.includes("import pyodide_kernel")) {
          say({ kind: "ready" }); // the last step of the kernel's start
          setTimeout(() => unpackRest(COMPLETION), 1000 * UNPACK_IT);
        }
        return result;
      };
      return pyodide;
    } catch (error) {
      if (await restoring?.hasArrived()) {
        console.warn("Python starts without its memory, which this browser could not restore:", error);
        return startPython(here, false);
      }
      failed = true;
      say({ kind: "failed", text: reason(error) });
      throw error;
    }
  }

  function reason(error) {
    const text = String(error?.message ?? error);
    const noMemory = error instanceof RangeError || /memory/i.test(text);
    return noMemory ? `the browser has too little memory. Close other tabs and programs, and reload. (${text})` : text;
  }

  if (self.location.pathname.endsWith("/start.js")) {
    self.lxmlsDay1 = startPython(new URL(".", self.location).href);
    self.addEventListener("message", ({ data }) => importScripts(data), { once: true });
  } else {
    self.loadPyodide = ({ indexURL }) => startPython(indexURL);
  }
}
