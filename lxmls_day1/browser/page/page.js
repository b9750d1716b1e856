// Runs in the page with JupyterLite. Lines below the work area, which shrinks for them, report what is being loaded, errors, and risks of
// losing work. It also downloads the file that `lab.submit()` packs, and offers to stop a cell that runs for a long time.
"use strict";
{
  const LONG = 30; // seconds after which the page offers to stop a cell
  const CHANNEL = "lxmls-day1";
  const site = new URL("..", document.baseURI);

  // ---- lines ---------------------------------------------------------------------------------------------------------

  const style = document.createElement("style");
  style.textContent = `
    #lxmls-day1-lines { position: fixed; inset: auto 0 0; max-height: 40vh; overflow: auto; font: 14px/1.4 system-ui, sans-serif; }
    #main { bottom: var(--lxmls-day1-lines, 0px) !important; }
    .lxmls-day1-line { background: #f4f6f8; color: #1b1f24; border-left: 6px solid #8c959f; border-top: 1px solid #8c959f;
      padding: 6px 12px; display: flex; justify-content: space-between; align-items: baseline; gap: 12px; }
    .lxmls-day1-line[data-kind="warning"] { border-left-color: #9a6700; }
    .lxmls-day1-line[data-kind="error"] { border-left-color: #cf222e; }
    .lxmls-day1-line:not(:first-child) { display: none; }
    .lxmls-day1-line button { font: inherit; cursor: pointer; white-space: nowrap; }
    @media (prefers-color-scheme: dark) { .lxmls-day1-line { background: #22272e; color: #f0f3f6; } }`;
  document.head.append(style);
  const lines = document.createElement("div");
  lines.id = "lxmls-day1-lines";
  lines.setAttribute("role", "status"); // set before the first line, because screen readers read only later changes
  document.addEventListener("DOMContentLoaded", () => document.body.append(lines));
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--lxmls-day1-lines", `${lines.offsetHeight}px`);
    window.dispatchEvent(new Event("resize")); // makes JupyterLab update its layout
  }).observe(lines);
  const shown = new Map();

  // Show one line for each name; an empty text removes it. Only the most urgent line is visible, because CSS hides the others.
  // Buttons: [text, action]; the line disappears after the action.
  const URGENCY = ["files", "start", "work", "long", "tabs", "storage"];
  function show(name, text, kind = "info", buttons = []) {
    if (shown.get(name)?.dataset.text === text) return;
    shown.get(name)?.remove();
    shown.delete(name);
    if (!text) return;
    const line = document.createElement("div");
    line.className = "lxmls-day1-line";
    line.id = `lxmls-day1-${name}`;
    line.dataset.kind = kind;
    line.dataset.text = text;
    if (kind === "progress") line.setAttribute("aria-live", "off"); // it changes too often for screen readers
    line.textContent = text;
    for (const [label, action] of buttons) {
      const button = document.createElement("button");
      button.textContent = label;
      button.onclick = () => {
        show(name, "");
        action();
      };
      line.append(button);
    }
    shown.set(name, line);
    const urgency = (other) => (other.dataset.kind === "error" ? -1 : URGENCY.indexOf(other.id.replace("lxmls-day1-", "")));
    const after = [...lines.children].find((other) => urgency(other) > urgency(line));
    lines.insertBefore(line, after ?? null);
  }
  const understood = [["OK", () => {}]];

  // ---- messages of the kernel's worker --------------------------------------------------------------------------------

  const inFront = () => document.visibilityState === "visible";
  new BroadcastChannel(CHANNEL).onmessage = ({ data }) => {
    if (data.kind === "ready") show("start", "");
    if (data.kind === "progress") keep(`lxmls-day1 done ${site.pathname}`, JSON.stringify(data.done)); // for the first page
    if (!inFront()) return; // only the visible tab reacts
    if (data.kind === "loading") show("start", `Loading Python: ${data.name} (${data.loaded} of ${data.started} files)`, "progress");
    if (data.kind === "starting") show("start", "Starting Python …");
    if (data.kind === "failed") show("start", `Python could not be started: ${data.text}`, "error", understood);
    if (data.kind === "download") download(data.name, data.content);
  };

  function keep(name, value) {
    try {
      localStorage.setItem(name, value);
    } catch { /* the browser keeps nothing */ }
  }

  // ---- what was written in the book ------------------------------------------------------------------------------------

  const OPENED = "from-the-book.zip";
  const brought = new URLSearchParams(location.hash.slice(1)).get("work");
  if (brought) history.replaceState(null, "", location.pathname + location.search); // a reload does not ask again

  // It is put into the files if the reader says so: other pages could bring work, too.
  async function offerWork(content) {
    const session = await kernelReady();
    const text = "The book brings what you wrote there. What these files hold now is kept: lab.undo() brings it back.";
    show("work", text, "info", [["Put it into my files", () => openWork(session, content)], ["No", () => {}]]);
  }

  async function kernelReady() {
    for (;;) {
      const session = window.jupyterapp?.shell?.currentWidget?.sessionContext;
      if (session?.isReady && session.session?.kernel?.status === "idle" && !shown.has("start")) return session;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }

  async function openWork(session, content) {
    await window.jupyterapp.serviceManager.contents.save(OPENED, { type: "file", format: "base64", content });
    const code = `from lxmls_day1.lab_api import open_lab as _open_lab\nprint(_open_lab().open_work("${OPENED}"))`;
    const future = session.session.kernel.requestExecute({ code, store_history: false });
    const said = [];
    future.onIOPub = ({ content }) => said.push(content.text ?? content.evalue ?? "");
    await future.done;
    show("work", said.join("").trim().split("\n").filter((line) => !line.startsWith("Lab: ")).join(" "), "info", understood);
  }

  function download(name, content) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([content], { type: "application/zip" }));
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // ---- loading begins immediately, before a notebook needs Python ------------------------------------------------------

  const OF_KERNEL = /\/pyodide-kernel-extension\/static\/[^/]+\.js/;

  // Start Python in a worker for the first notebook.
  function startPython() {
    const started = new Worker(new URL("static/lxmls-day1/start.js", site));
    const Plain = window.Worker;
    window.Worker = class extends Plain {
      constructor(address, options) {
        if (!OF_KERNEL.test(address)) return new Plain(address, options);
        window.Worker = Plain;
        started.postMessage(String(address));
        return started;
      }
    };
  }

  async function loadAhead() {
    const here = new URL("static/lxmls-day1/", site);
    const table = await (await fetch(new URL("packages.json", here))).json();
    const runtime = new URL(table.runtime, here);
    const { packages } = await (await fetch(new URL("pyodide-lock.json", runtime))).json();
    const large = ["openblas", "numpy", "scipy", "matplotlib"].map((name) => packages[name].file_name);
    for (const name of ["pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", ...large]) {
      const link = document.createElement("link");
      Object.assign(link, { rel: "prefetch", as: "fetch", crossOrigin: "anonymous", href: new URL(name, runtime).href });
      document.head.append(link);
    }
  }

  // ---- work that could be lost -----------------------------------------------------------------------------------------

  const KEEP = "Before that, run lab.submit() in a cell, which downloads your work; lab.open_work() opens it again.";

  function keepsDatabases() {
    return new Promise((resolve) => {
      try {
        const request = indexedDB.open("lxmls-day1-test");
        request.onerror = () => resolve(false);
        request.onsuccess = () => {
          request.result.close();
          indexedDB.deleteDatabase("lxmls-day1-test");
          resolve(true);
        };
      } catch {
        resolve(false);
      }
    });
  }

  // A page cannot find out whether its window is private and will lose all files when it is closed. So the warning is shown to every reader
  // for whom the browser does not guarantee persistent storage, but only once if the browser can remember that.
  const TOLD = "lxmls-day1-told";
  async function tellWhereWorkIs() {
    if ((await navigator.storage?.persist?.()) || localStorage.getItem(TOLD)) return;
    const text =
      "Your work is kept in this browser only. A private window deletes it on closing: if this is one, first run " +
      "lab.submit() in a cell, which downloads your work; lab.open_work() opens it again.";
    show("storage", text, "warning", [["OK", () => keep(TOLD, "yes")]]);
  }

  function tellNoFiles(why, todo) {
    show("files", `This browser gives Python no access to your files ${why}. ${todo}`, "error");
  }

  // If the browser refuses JupyterLite's service worker, JupyterLite continues without it and reports nothing.
  function watchRegistration() {
    const workers = navigator.serviceWorker;
    const register = workers.register.bind(workers);
    workers.register = async (...arguments_) => {
      try {
        return await register(...arguments_);
      } catch (error) {
        tellNoFiles(`(${error.message})`, "Allow this page to store data and reload it, or open it in an ordinary window.");
        throw error;
      }
    };
  }

  async function checkStorage() {
    if (!navigator.serviceWorker) {
      const why = isSecureContext ? "in a private window, or with its current settings" : "over http";
      tellNoFiles(why, "Open this page in an ordinary window, over https.");
    } else if (!(await keepsDatabases())) {
      show("storage", `This browser keeps no files: your work is lost when you close or reload this page. ${KEEP}`, "error", understood);
    } else {
      await tellWhereWorkIs();
    }
  }

  function checkTabs() {
    const name = `${CHANNEL} ${site.href}`;
    const hold = () => new Promise(() => {}); // as long as this page is open
    navigator.locks?.request(name, { ifAvailable: true }, (lock) => {
      if (lock) return hold();
      const text = "This lab is open in another tab, too. Both tabs write the same files: work in one of them, and close the other.";
      show("tabs", text, "warning", understood);
      navigator.locks.request(name, () => {
        show("tabs", "");
        return hold();
      });
      return null;
    });
  }

  // ---- cells that run for a long time ----------------------------------------------------------------------------------

  let busySince = null;
  function watchKernel() {
    const session = window.jupyterapp?.shell?.currentWidget?.sessionContext;
    const kernel = session?.session?.kernel;
    if (!kernel || kernel.status !== "busy" || shown.has("start")) {
      busySince = null;
      show("long", "");
      return;
    }
    busySince ??= Date.now();
    if (Date.now() - busySince < 1000 * LONG) return;
    const text = "This cell has been running for a while. Your files and the notebook stay as they are if you stop it.";
    show("long", text, "info", [["Stop it", () => restart(session)]]);
  }

  async function restart(session) {
    busySince = null;
    await session.restartKernel();
  }

  if (navigator.serviceWorker) watchRegistration();
  void checkStorage();
  checkTabs();
  if (brought) void offerWork(brought);
  // A worker that is older than the service worker has no access to files, so at the first visit files are only preloaded.
  if (navigator.serviceWorker?.controller) startPython();
  else void loadAhead().catch(() => {}); // the script that needs a missing file reports it
  setInterval(watchKernel, 1000);
}
