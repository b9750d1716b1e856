// The worker behind the exercises and the demonstrations of the book. It starts Python like the browser lab (start.js), then answers requests
// of the page.
"use strict";
const here = new URL(".", self.location).href;
let loaded = 0;
let told = 0;

// Report the number of loaded bytes to the page; start.js counts the files in addition. A copy of each response is counted, because the browser
// caches compiled WebAssembly only for a response that comes from the network itself.
const plain = self.fetch;
self.fetch = async (...request) => {
  const response = await plain(...request);
  if (response.ok && response.body) response.clone().body.pipeTo(new WritableStream({ write: tellLoaded })).catch(() => {});
  return response;
};

function tellLoaded(piece) {
  loaded += piece.byteLength;
  if (performance.now() - told < 100) return; // milliseconds; showing it slows down the loading
  told = performance.now();
  self.postMessage({ kind: "loading", loaded });
}

// pytest would load a dozen modules of Pygments, which colours what it prints; a page shows nothing of that.
const WITHOUT_COLOURS = `
import sys
import types

for name in ("", ".formatters.terminal", ".lexer", ".lexers.diff", ".lexers.python"):
    sys.modules["pygments" + name] = module = types.ModuleType("pygments" + name)
    module.TerminalFormatter = module.Lexer = module.DiffLexer = module.PythonLexer = None
`;
importScripts(new URL("start.js", here).href);
const ready = self.loadPyodide({ indexURL: here }).then((python) => {
  self.postMessage({ kind: "starting" });
  python.runPython(WITHOUT_COLOURS);
  python.runPython("import pytest, page_checks, lxmls_day1.course.running.in_process_checks, lxmls_day1.engine.loops.online_training");
  self.postMessage({ kind: "ready" });
  return python;
});
ready.catch((error) => self.postMessage({ kind: "failed", text: String(error?.message ?? error) }));

// The browser compiles what a check runs at the first one. While a reader still writes, a check of nothing takes this time, in another folder.
const REHEARSAL = `
import json
import shutil
import page_checks

shutil.copytree("/lab", "/tmp/lab")
page_checks.handle_request("/tmp/lab", json.dumps({"kind": "check", "exercise": "1.4", "written": {"1.4": ["pass"]}, "explained": []}))
shutil.rmtree("/tmp/lab")
`;
const REHEARSE_AFTER = 1; // seconds
let asked = false;
ready.then((python) => setTimeout(() => asked || rehearse(python), 1000 * REHEARSE_AFTER)).catch(() => {});

function rehearse(python) {
  try {
    python.runPython(REHEARSAL, { globals: python.toPy({}) });
  } catch (error) {
    console.warn("The check before the first one failed:", error);
  }
}

// A demonstration in a page. Its scripts and the reference lab are loaded for the first request.
let demonstrations = null;
async function startDemonstrations(python, address) {
  const archive = await (await fetch(address)).arrayBuffer();
  await python.loadPackage(["matplotlib", "scipy", "threadpoolctl", "platformdirs", "tqdm"]);
  python.unpackArchive(archive, "zip", { extractDir: "/reference" });
  return python.runPython(`
import json
import lxmls_day1
from lxmls_day1.lab import Lab

lxmls_day1.__path__.append("/reference/lxmls_day1")
from lxmls_day1.demos.demonstration import demonstration_class

opened = {}

def answers(name, settings):
    if name not in opened:
        opened[name] = demonstration_class(name)(Lab("/reference"))
    for answer in opened[name].messages(json.loads(settings)):
        yield json.dumps(answer)

answers
`);
}

self.onmessage = async ({ data }) => {
  asked = true;
  const python = await ready;
  try {
    if (data.kind === "demo") {
      demonstrations ??= startDemonstrations(python, data.programs);
      for (const answer of (await demonstrations)(data.name, JSON.stringify(data.settings))) {
        self.postMessage({ kind: "demo", answer: JSON.parse(answer) });
      }
      return;
    }
    const checks = python.pyimport("page_checks");
    const request = JSON.stringify(data);
    // Python calls this once a second while a check runs; a page that ends this worker knows where it was.
    self.reportLine = (place) => self.postMessage({ kind: "line", line: checks.line_in_words(request, place) });
    const answer = checks.handle_request("/lab", request);
    if (self.notLoaded) self.postMessage({ kind: "failed", text: self.notLoaded });
    else self.postMessage({ ...JSON.parse(answer), kind: data.kind, exercise: data.exercise });
  } catch (error) {
    const text = String(error?.message ?? error).trim().split("\n").pop();
    self.postMessage({ kind: "broken", text });
  }
};
