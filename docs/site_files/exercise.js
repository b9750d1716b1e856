// Exercises in a page: the page's side. It keeps what is written, starts Python when a gap is touched, and shows verdicts and progress.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const all = [...document.querySelectorAll("[data-exercise]")];
  const sections = all.filter((section) => !section.matches(".experiment"));
  const KEY = "lxmls-day1 exercise ";
  const PROGRESS = "lxmls-day1 progress "; // the keys of an exercise's state: solved, passed, hints, explained, before
  const PATIENCE = 60; // seconds without an answer, after which Python is started anew
  const BYTES = 18.7e6; // about so many are loaded
  const place = new URL(document.documentElement.dataset.content_root ?? "../../", document.baseURI);
  const views = new Map(all.map((section) => [section.dataset.exercise, section])); // exercise -> its section
  const day = JSON.parse(document.querySelector(".about")?.dataset.day ?? "[]"); // [id, title, minutes] of each exercise
  let worker = null;
  let ready = false;
  let asked = null; // what Python is working on
  let waiting = null; // what it is to do once it has started
  let clock = 0;

  const tabs = "BroadcastChannel" in window ? new BroadcastChannel("lxmls-day1 exercises") : null;
  const own = (name) => (section) => section.querySelector(name);
  const stateOf = own(".state");
  const reportOf = own(".report");

  function make(tag, { text, ...attributes } = {}, ...children) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) {
      if (name in made || name === "told") made[name] = value;
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  // ---- Python ----------------------------------------------------------------------------------------------------------

  function start() {
    if (worker) return;
    if (location.protocol === "file:") {
      say("Python cannot start in a page that was opened from a folder. Serve the folder, for instance with `python -m http.server`, and open the page from that server.");
      return;
    }
    worker = new Worker(new URL("_static/exercises/exercise_worker.js", place));
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = (error) => hear({ kind: "failed", text: error.message });
    say("Python is starting …");
  }

  function stop() {
    worker?.terminate();
    worker = asked = waiting = null;
    ready = false;
    clearTimeout(clock);
    enable(true);
  }

  function ask(question) {
    start();
    if (!worker) return enable(true);
    if (!ready) {
      waiting = question;
      return;
    }
    asked = question;
    worker.postMessage(question);
    wait();
  }

  function wait() {
    clearTimeout(clock);
    clock = setTimeout(() => interrupt("There was no answer for a minute, so Python was stopped"), 1000 * PATIENCE);
  }

  // Ends what Python does, and starts it again.
  function interrupt(why) {
    const { exercise, line } = asked ?? waiting ?? {};
    stop();
    start();
    const section = views.get(exercise);
    if (section) notice(section, "stopped", `${why}${line ? `; ${line} ran last` : ""}. Your lines are as they were; Check runs them once more.`);
  }

  function hear(data) {
    if (data.kind === "loading") {
      if (!asked) say(`Loading Python: ${Math.min(99, Math.round((100 * data.loaded) / BYTES))} %`);
    } else if (data.kind === "starting") say("Starting Python …");
    else if (data.kind === "ready") {
      ready = true;
      say(waiting ? "Checking …" : "Python is ready.");
      if (waiting) ask(waiting);
      waiting = null;
    } else if (data.kind === "line") {
      if (!asked) return;
      asked.line = data.line;
      wait(); // the check will end by its own limit, which is longer on a slow machine
    } else if (data.kind === "failed") {
      stop();
      say(whyNoPython(data.text));
    } else if (data.kind === "broken") interrupt(`Python broke off (${data.text})`);
    else {
      clearTimeout(clock);
      const question = asked;
      asked = null;
      const section = views.get(data.exercise);
      enable(true);
      if (data.kind === "check") {
        showReport(section, data, question.written[data.exercise]);
        announce(data.exercise, data.verdict, data.mistakes);
      } else if (data.kind === "because") showKept(section, data);
      else download(data);
    }
  }

  // A room that serves this page listens (lxmls_day1/browser/page/room.js).
  function announce(exercise, verdict, mistakes) {
    document.dispatchEvent(new CustomEvent("lxmls-day1 verdict", { detail: { exercise, verdict, mistakes } }));
  }

  // A browser says nothing, or only "failed to fetch", of a file that does not arrive.
  function whyNoPython(text) {
    const kept = keeps ? "What you wrote is kept. " : "";
    if (!navigator.onLine) return `You are offline, and Python is not loaded yet. ${kept}Connect, then press Check again.`;
    const detail = text && !/^(Uncaught )?(undefined|NetworkError|(TypeError: )?Failed to fetch)/.test(text) ? ` The browser says: ${text}` : "";
    return `Python could not be loaded: the site does not answer, or lacks a file. ${kept}Press Check to try again; if that does not help, tell whoever runs this site.${detail}`;
  }

  function enable(yes) {
    for (const section of sections) {
      const [check, stopping] = [own(".check")(section), own(".stop")(section)];
      if (yes && document.activeElement === stopping) check.focus();
      check.disabled = !yes;
      stopping.hidden = yes;
    }
  }

  function say(text) {
    for (const section of all) if (stateOf(section).textContent !== text) stateOf(section).textContent = text;
  }

  // ---- what is kept ------------------------------------------------------------------------------------------------------

  let keeps = true; // whether the browser keeps anything
  try {
    localStorage.setItem(`${KEY}test`, "");
    localStorage.removeItem(`${KEY}test`);
  } catch {
    keeps = false;
  }

  function keep(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(value));
    } catch {
      keeps = false;
      warnOfStorage();
    }
  }

  function kept(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null; // nothing is kept, or something else wrote there
    }
  }

  const memory = {}; // the states of this page's exercises, where the browser keeps nothing
  const progress = (exercise) => kept(PROGRESS + exercise) ?? memory[exercise] ?? {};
  function change(exercise, changes) {
    memory[exercise] = { ...progress(exercise), ...changes };
    keep(PROGRESS + exercise, memory[exercise]);
    showProgress();
  }

  // Shows what was kept: of an experiment the answers by their cells in a notebook, of code the texts in their order.
  function restore(section) {
    const before = kept(KEY + nameOf(section)) ?? {};
    fill(section, areas(section).map((area, n) => before[area.dataset.cell] ?? before[n] ?? ""));
  }

  function fill(section, values) {
    areas(section).forEach((area, n) => {
      if (area.value === values[n]) return;
      area.value = values[n] ?? "";
      area.dispatchEvent(new Event("shown"));
    });
    edited(section);
  }

  // All that was written, in this page and in others; the answers to experiments apart, and those to questions about mistakes.
  function written() {
    const found = {};
    const explained = {};
    try {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith(KEY)) found[key.slice(KEY.length)] = kept(key);
        if (key.startsWith(PROGRESS)) explained[key] = kept(key)?.explained;
      }
    } catch { /* nothing is kept: what this page shows is all there is */ }
    for (const section of all) found[nameOf(section)] = texts(section);
    for (const exercise of Object.keys(memory)) explained[PROGRESS + exercise] = memory[exercise].explained;
    const names = Object.keys(found).filter((name) => found[name]);
    const answers = Object.assign({}, ...names.filter(isAnswer).map((name) => found[name]));
    const code = Object.fromEntries(names.filter((name) => !isAnswer(name)).map((name) => [name, found[name]]));
    return { written: code, answers, explained: Object.values(explained).flat().filter(Boolean) };
  }

  const isAnswer = (name) => name.endsWith(" answer");
  const areas = (section) => [...section.querySelectorAll(".editor textarea, textarea[data-cell]")];
  const nameOf = (section) => section.dataset.exercise + (section.matches(".experiment") ? " answer" : "");

  function texts(section) {
    const values = areas(section).map((area) => [area.dataset.cell, area.value]);
    return section.matches(".experiment") ? Object.fromEntries(values) : values.map(([, text]) => text);
  }

  // A line above the buttons; `name` says which one it replaces, and without a text it goes.
  function notice(section, name, text, ...more) {
    section.querySelector(`.notice.${name}`)?.remove();
    if (text) own(".buttons")(section).before(make("p", { className: `notice ${name}`, role: "status", text }, ...more));
  }

  function warnOfStorage() {
    for (const section of all) {
      notice(section, "storage", "This browser does not keep what you write: its storage is blocked or full. Before you leave the page, save your work with “Take it with you”.");
      own(".take")(section).hidden = false;
    }
  }

  // ---- progress ----------------------------------------------------------------------------------------------------------

  // A tick at every link to a solved exercise in a list or the side bar, at the heading, and at the line with its minutes.
  function showProgress() {
    const folder = new URL("docs/exercises/", place).href;
    const idOf = (address) => (address.startsWith(folder) ? address.slice(folder.length).match(/^([\w.]+)\.html/)?.[1] : null);
    for (const link of document.querySelectorAll("nav a[href], li a[href]")) {
      const id = idOf(link.href);
      if (id) link.classList.toggle("solved", !!progress(id).solved);
    }
    const here = idOf(location.href);
    if (here) document.querySelector("h1")?.classList.toggle("solved", !!progress(here).solved);
    all.forEach(showPassed);
  }

  // Whether an exercise is solved, and whether by the text that stands there.
  function showPassed(section) {
    const { solved, passed } = progress(section.dataset.exercise);
    own(".about")(section).classList.toggle("solved", !!solved);
    section.classList.toggle("passed", !!solved && passed === JSON.stringify(texts(section)));
  }

  // How much of the day is done, and a link to what comes next.
  function nextExercise(section) {
    const at = day.findIndex(([id]) => id === section.dataset.exercise);
    const open = [...day.slice(at + 1), ...day.slice(0, at)].filter(([id]) => !progress(id).solved);
    const done = `${day.filter(([id]) => progress(id).solved).length} of ${day.length} of the day`;
    if (!open.length) return make("p", { className: "next", text: `${done}: all done.` });
    const [id, title, minutes] = open[0];
    const link = make("a", { className: "button", href: new URL(`docs/exercises/${id}.html`, place).href, text: `Next exercise: ${id} ${title}` });
    return make("p", { className: "next", text: `${done}. ` }, link, ` about ${minutes} minutes`);
  }

  // ---- the report --------------------------------------------------------------------------------------------------------

  // Text with names set as code and emphasis, as messages mark them.
  function prose(text) {
    return text.split(/(`[^`]+`|\*\w[^*]*\w\*)/).map((part, n) => (n % 2 ? make(part[0] === "`" ? "code" : "em", { text: part.slice(1, -1) }) : part));
  }

  const asLines = (lines) => lines.map(([style, text]) => make("div", { className: style || "plain" }, ...(style === "source" ? [text] : prose(text || "\u00a0"))));

  function showReport(section, data, sent) {
    const exercise = section.dataset.exercise;
    const isCurrent = JSON.stringify(sent) === JSON.stringify(texts(section));
    if (data.passed) change(exercise, { solved: true, passed: JSON.stringify(sent) });
    const shown = [];
    if (data.label) shown.push(make("p", { className: "label", text: data.label }));
    const style = data.passed ? "good" : data.label || data.todo ? "known" : "bad";
    shown.push(make("p", { className: `headline ${style}`, role: "heading", "aria-level": 2 }, ...prose(data.headline)));
    shown.push(...data.about.map((text) => make("p", {}, ...prose(text))));
    if (data.rows.length) {
      const rows = data.rows.map(([word, text]) => make("tr", { className: word.split(",")[0] }, make("th", { scope: "row", text: word }), make("td", {}, make("code", { text }))));
      shown.push(make("table", {}, make("caption", { text: data.caption }), ...rows));
    }
    if (data.bars && isCurrent) shown.push(bars(data.bars));
    shown.push(...asLines(data.lines));
    if (data.question) shown.push(askBecause(section, data.question));
    if (data.passed) shown.push(nextExercise(section));
    if (data.all.length) shown.push(make("details", {}, make("summary", { text: "All checks" }), make("div", { className: "checks" }, ...asLines(data.all))));
    reportOf(section).replaceChildren(...shown);
    reportOf(section).querySelector("canvas")?.paint();
    reach();
    say(data.passed ? "All checks pass." : isCurrent ? "Not yet." : "This is about your lines before you went on writing.");
    const solution = own(".solution")(section);
    solution.disabled = false;
    solution.removeAttribute("title");
    own(".take")(section).hidden = false;
    const hint = section.querySelector(".hints > .mistake");
    if (hint?.told !== data.hint) hint?.remove();
    section.mistakeHint = hint?.told === data.hint ? "" : data.hint;
    allowHint(section);
    if (!isCurrent) return;
    mark(section, data.marked);
    if (!data.trace) return forgetSteps(section);
    section.answered = true;
    draw(section, data.trace);
  }

  // The figure as it is before an answer.
  function forgetSteps(section) {
    if (!section.answered) return;
    section.answered = false;
    draw(section);
  }

  function mark(section, marked) {
    const numbers = section.querySelectorAll(".numbers");
    for (const wrong of section.querySelectorAll(".numbers .wrong")) wrong.className = "";
    for (const [gap, line] of marked) numbers[gap]?.children[line - 1]?.classList.add("wrong");
  }

  // The same numbers as bars, a group for each entry, in the colours of the page.
  function bars({ what, names, series }) {
    const canvas = make("canvas", { className: "bars", role: "img", "aria-label": `Bars of the ${what}: ${series.map(([name, values]) => `${name} ${values.map(short).join(", ")}`).join("; ")}` });
    const keys = series.map(([name]) => make("li", { className: name.split(" ")[0], text: name }));
    canvas.paint = () => {
      const ratio = devicePixelRatio || 1;
      const [width, height] = [canvas.clientWidth, 220];
      Object.assign(canvas, { width: width * ratio, height: height * ratio });
      const pen = canvas.getContext("2d");
      pen.scale(ratio, ratio);
      const style = getComputedStyle(canvas);
      const every = series.flatMap(([, values]) => values);
      const [low, high] = [Math.min(0, ...every), Math.max(0, ...every)];
      const [top, bottom] = [24, height - 44];
      const y = (value) => top + ((high - value) / (high - low || 1)) * (bottom - top);
      const group = width / names.length;
      const bar = Math.min(46, (0.84 * group) / series.length);
      Object.assign(pen, { textAlign: "center", font: `13px ${style.fontFamily}` });
      series.forEach(([name, values], n) => values.forEach((value, k) => {
        const x = group * (k + 0.5) + bar * (n - series.length / 2);
        pen.fillStyle = style.getPropertyValue(`--${name.split(" ")[0]}`);
        pen.fillRect(x + 1, Math.min(y(0), y(value)) - 1, bar - 2, Math.abs(y(value) - y(0)) + 2);
        pen.fillStyle = style.color;
        if (pen.measureText(short(value)).width < bar + 6) pen.fillText(short(value), x + bar / 2, value < 0 ? y(value) + 16 : y(value) - 6);
      }));
      pen.fillStyle = pen.strokeStyle = style.color;
      pen.globalAlpha = 0.5;
      pen.strokeRect(0, y(0), width, 0);
      pen.globalAlpha = 1;
      names.forEach((name, k) => pen.fillText(name, group * (k + 0.5), height - 8, group));
    };
    return make("div", { className: "picture" }, make("p", { className: "what", text: what }), make("ul", { className: "legend" }, ...keys), canvas);
  }

  const short = (value) => String(Number(value.toPrecision(3))).replace("-", "−");

  // The question about a mistake, with a field for the answer; Python says whether it is kept, as `check --because` does.
  function askBecause(section, question) {
    const field = make("textarea", { rows: 2, maxLength: 2000 });
    const form = make("form", { className: "because" }, make("label", {}, ...prose(question.question), field), make("button", { text: "Keep my answer" }));
    form.append(make("p", { className: "answer", role: "status" }));
    form.onsubmit = (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (!text) own(".answer")(form).textContent = "Write a sentence of your own first.";
      else if (asked || !ready) own(".answer")(form).textContent = "Python is busy. Press the button again in a moment.";
      else ask({ ...written(), kind: "because", exercise: section.dataset.exercise, written: {}, question, text });
    };
    return form;
  }

  function showKept(section, { lines, kept: answer }) {
    const exercise = section.dataset.exercise;
    const shown = section.querySelector(".because .answer");
    if (shown) shown.textContent = answer ? "Kept; “Take it with you” takes it along. Now correct your lines, and check again." : lines.join(" ");
    if (answer) change(exercise, { explained: [...(progress(exercise).explained ?? []).filter(({ question }) => question !== answer.question), answer] });
    say("");
  }

  // The address of the browser lab, if the book was built with one: there the work goes on.
  const lab = document.documentElement.dataset.lab && new URL(document.documentElement.dataset.lab, place).href;
  let goesOn = false;

  function download({ name, content, notebook }) {
    if (goesOn) {
      location.href = `${lab}lab/index.html?path=${encodeURIComponent(notebook)}#work=${encodeURIComponent(content)}`;
      return;
    }
    make("a", { href: `data:application/zip;base64,${content}`, download: name }).click();
    say(`${name} was downloaded. In the lab, lab.open_work("${name}") puts what you wrote into your files.`);
  }

  // The points, and the boundaries after each step: those of the right rule, and of the reader's beside them once it was checked. They move
  // once, when they are in view, and then with the slider. Before an answer any touch of the exercise stops them.
  function draw(section, steps) {
    const figure = section.querySelector("figure");
    if (!figure) return;
    const [canvas, caption] = [figure.querySelector("canvas"), figure.querySelector("figcaption")];
    const drawn = { ...JSON.parse(figure.dataset.drawn), yours: steps };
    const last = drawn.wanted.length;
    const isNew = !figure.querySelector("input");
    figure.querySelector("input")?.remove();
    const slider = document.createElement("input");
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || !(steps || isNew);
    Object.assign(slider, { type: "range", min: 0, max: last, value: still ? last : 0 });
    slider.setAttribute("aria-label", "Step of the rule");
    caption.before(slider);
    let playing = !still;
    const wanted = drawn.wanted.flat();
    const same = steps?.flat().every((x, i) => Math.abs(x - wanted[i]) < 0.01); // as far as the picture can show
    const remark = same && !section.matches(".passed") ? " The check has inputs for which it gives another answer." : "";
    const show = () => {
      const wrong = paint(canvas, drawn, Number(slider.value));
      const outcome = `${wrong} of ${drawn.points.length} points on the wrong side`;
      const legend = same ? "Here yours moves as the right rule does" : "Solid: the right rule. Dashed: yours";
      caption.textContent = `Step ${slider.value} of ${last}. ${steps ? legend : "The right rule"}, ${outcome}.${remark}`;
    };
    const stop = () => (playing = false);
    slider.oninput = () => {
      stop();
      show();
    };
    if (!steps) for (const kind of ["pointerdown", "focusin"]) section.addEventListener(kind, stop, { once: true });
    const play = () => {
      if (!playing || !slider.isConnected || Number(slider.value) >= last) return;
      slider.value = Number(slider.value) + 1;
      show();
      setTimeout(() => requestAnimationFrame(play), 220);
    };
    show();
    new IntersectionObserver(([{ isIntersecting }], observer) => {
      if (isIntersecting) {
        observer.disconnect();
        setTimeout(play, 600);
      }
    }).observe(canvas);
  }

  // What is drawn at a step; returns how many points are on the wrong side of the reader's boundaries, or of the right ones before an answer.
  function paint(canvas, { points, start, wanted, yours }, step) {
    const pen = canvas.getContext("2d");
    const [width, height] = [canvas.width / 2, canvas.height / 2]; // two pixels for each unit, for sharp lines on every screen
    const scale = height / 6;
    const at = (x, y) => [width / 2 + scale * x, height / 2 - scale * y];
    const style = getComputedStyle(canvas);
    const ink = style.color;
    const colours = [0, 1, 2].map((label) => style.getPropertyValue(`--class-${label}`)); // those of the book's pictures
    const weights = (steps) => (step ? steps[step - 1].slice(1) : start);
    const score = (w, k, [x, y]) => w[3 * k] + w[3 * k + 1] * x + w[3 * k + 2] * y;
    const predicted = (w, place) => [0, 1, 2].reduce((best, k) => (score(w, k, place) > score(w, best, place) ? k : best), 0);

    // The corners of the part of a polygon in which a linear function is not negative.
    const cut = (corners, f) => corners.flatMap((p, i) => {
      const q = corners[(i + 1) % corners.length];
      const [u, v] = [f(p), f(q)];
      return [...(u >= 0 ? [p] : []), ...(u * v < 0 ? [p.map((x, j) => x + ((q[j] - x) * u) / (u - v))] : [])];
    });

    // Where a class is predicted; the outer border lies outside of the picture, so an outline is a boundary.
    const region = (w, k) => [0, 1, 2].reduce(
      (corners, other) => cut(corners, (place) => score(w, k, place) - score(w, other, place)), [[-9, -9], [9, -9], [9, 9], [-9, 9]]);
    const outline = (corners) => {
      pen.beginPath();
      for (const place of corners) pen.lineTo(...at(...place));
      pen.closePath();
    };

    const judged = weights(yours ?? wanted);
    pen.setTransform(2, 0, 0, 2, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.globalAlpha = 0.14;
    for (const k of [2, 1, 0]) {
      pen.fillStyle = colours[k];
      outline(region(judged, k));
      pen.fill();
    }
    pen.globalAlpha = 1;
    for (const [steps, colour, thick, dash] of [[wanted, ink, 3, []], [yours, style.getPropertyValue("--yours"), 4, [12, 8]]]) {
      if (!steps) continue;
      Object.assign(pen, { strokeStyle: colour, lineWidth: thick });
      pen.setLineDash(dash);
      for (const k of [0, 1, 2]) {
        outline(region(weights(steps), k));
        pen.stroke();
      }
    }
    pen.setLineDash([]);
    let wrong = 0;
    points.forEach(([x, y, label], m) => {
      const [left, top] = at(x, y);
      const isWrong = predicted(judged, [x, y]) !== label;
      wrong += isWrong;
      Object.assign(pen, { fillStyle: isWrong ? style.backgroundColor : colours[label], strokeStyle: colours[label], lineWidth: 3 });
      pen.beginPath();
      if (label === 0) pen.rect(left - 6, top - 6, 12, 12);
      else if (label === 1) [[0, -8], [8, 6], [-8, 6]].forEach(([right, down]) => pen.lineTo(left + right, top + down));
      else pen.arc(left, top, 7, 0, 2 * Math.PI);
      pen.closePath();
      pen.fill();
      pen.stroke();
      if (step && m === wanted[step - 1][0]) {
        Object.assign(pen, { strokeStyle: ink, lineWidth: 2 });
        pen.beginPath();
        pen.arc(left, top, 15, 0, 2 * Math.PI);
        pen.stroke();
      }
    });
    return wrong;
  }

  // ---- buttons -------------------------------------------------------------------------------------------------------------

  // After a named mistake its hint comes first. Hints that were seen stay open after a reload.
  function offerHints(section) {
    const seen = progress(section.dataset.exercise).hints ?? 0;
    [...section.querySelectorAll(".hints > li")].slice(0, seen).forEach((hint) => (hint.hidden = false));
    own(".hints")(section).setAttribute("aria-live", "polite");
    allowHint(section);
    own(".hint")(section).onclick = () => {
      let hint = section.querySelector(".hints > [hidden]");
      if (section.mistakeHint) {
        hint = make("li", { className: "mistake", told: section.mistakeHint }, ...section.mistakeHint.split("\n").map((text) => make("p", {}, ...prose(text))));
        own(".hints")(section).prepend(hint);
        section.mistakeHint = "";
      } else if (hint) {
        hint.hidden = false;
        change(section.dataset.exercise, { hints: section.querySelectorAll(".hints > li:not([hidden], .mistake)").length });
      }
      reach();
      hint?.scrollIntoView({ block: "nearest" });
      allowHint(section);
    };
  }

  function allowHint(section) {
    own(".hint")(section).disabled = !section.mistakeHint && !section.querySelector(".hints > [hidden]");
  }

  // Reset empties the gaps, and keeps what stood in them until something is written again.
  function offerReset(section, emptied) {
    const exercise = section.dataset.exercise;
    own(".reset")(section).onclick = () => {
      const values = areas(section).map((area) => area.value);
      const { solved, passed } = progress(exercise);
      fill(section, values.map(() => ""));
      keep(KEY + nameOf(section), null);
      change(exercise, { solved: false, passed: null, before: values.some((text) => text.trim()) ? { values, solved, passed } : progress(exercise).before });
      emptied();
      reportOf(section).replaceChildren();
      say("");
      offerUndo(section);
      areas(section)[0].focus();
    };
    offerUndo(section);
  }

  function offerUndo(section) {
    const exercise = section.dataset.exercise;
    const { before } = progress(exercise);
    if (!before || areas(section).some((area) => area.value)) return;
    const button = make("button", { type: "button", className: "undo", text: "Undo" });
    button.onclick = () => {
      fill(section, before.values);
      keep(KEY + nameOf(section), texts(section));
      change(exercise, { ...before, values: undefined, before: null });
      areas(section)[0].focus();
    };
    notice(section, "reset", "Your lines were taken out. ", button);
  }

  // After a change: the numbers of lines, and nothing of an answer that is no longer there. It runs at every key, so it leaves alone what stays.
  function edited(section) {
    for (const area of section.querySelectorAll(".editor textarea")) {
      const lines = area.value.split("\n").length;
      const numbers = area.parentElement.querySelector(".numbers");
      if (numbers.childElementCount === lines) continue;
      numbers.replaceChildren(...Array.from({ length: lines }, (_, n) => make("span", { text: n + 1 })));
      area.rows = Math.max(4, lines);
    }
    mark(section, []);
    section.querySelector(".report .picture")?.remove();
    if (areas(section).some((area) => area.value)) notice(section, "reset");
    forgetSteps(section);
    showPassed(section);
  }

  for (const section of all) {
    restore(section);
    for (const area of areas(section)) {
      area.addEventListener("input", () => {
        keep(KEY + nameOf(section), texts(section));
        edited(section);
      });
    }
    offerHints(section);
    const pack = (onward) => () => {
      goesOn = onward;
      ask({ kind: "pack", exercise: section.dataset.exercise, ...written() });
    };
    own(".take")(section).onclick = pack(false);
    if (lab) own(".take")(section).after(" ", make("button", { type: "button", className: "open-lab", textContent: "Open in the browser lab", onclick: pack(true) }));
  }

  for (const section of sections) {
    const exercise = section.dataset.exercise;
    const of = (name) => section.querySelector(name);
    draw(section);
    for (const area of areas(section)) {
      area.parentElement.addEventListener("focusin", start, { once: true });
      area.addEventListener("keydown", (event) => indent(event, area));
    }
    of(".check").onclick = () => {
      if (of(".check").disabled) return;
      enable(false);
      mark(section, []);
      notice(section, "stopped");
      say(ready ? "Checking …" : "Python is starting …");
      ask({ kind: "check", exercise, ...written() });
    };
    of(".stop").onclick = () => interrupt("Stopped");
    of(".solution").onclick = () => {
      of(".solutions").hidden = !of(".solutions").hidden;
      reach();
      if (!of(".solutions").hidden) of(".solutions").scrollIntoView({ block: "nearest" });
    };
    offerReset(section, () => mark(section, []));
  }

  // An experiment is no code: Check shows the answers of the lesson, to compare one's own with.
  for (const section of document.querySelectorAll(".experiment")) {
    const show = (yes) => {
      for (const solution of section.querySelectorAll(".solutions")) solution.hidden = !yes;
      own(".take")(section).hidden = !yes && keeps;
    };
    own(".check")(section).onclick = () => {
      const complete = areas(section).every((area) => area.value.trim());
      show(complete);
      if (complete) change(section.dataset.exercise, { solved: true, passed: JSON.stringify(texts(section)) });
      announce(section.dataset.exercise, complete ? "passed" : "to do", []);
      stateOf(section).textContent = complete ? "No program can mark an explanation: compare yours with the lesson's, below it." : "Write your own answer first, to every question.";
      reportOf(section).replaceChildren(...(complete ? [nextExercise(section)] : []));
    };
    offerReset(section, () => show(false));
  }

  // Enter keeps the indentation, one level more after a colon; four blanks go away together. Tab leaves the gap, as everywhere.
  function indent(event, area) {
    const { selectionStart: from, selectionEnd: to, value } = area;
    const line = value.slice(value.lastIndexOf("\n", from - 1) + 1, from);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.closest("section").querySelector(".check").click();
    else if (event.key === "Enter" && !event.isComposing) {
      area.setRangeText("\n" + line.match(/^ */)[0] + (/:\s*$/.test(line) ? "    " : ""), from, to, "end");
    } else if (event.key === "Backspace" && from === to && line && /^(?: {4})+$/.test(line)) area.setRangeText("", from - 4, to, "end");
    else return;
    event.preventDefault();
    area.dispatchEvent(new Event("input"));
  }

  // ---- the page ------------------------------------------------------------------------------------------------------------

  showProgress();
  if (!keeps) warnOfStorage();

  // Another tab with the same exercise: both show what was written last, and say so. A tab that is closed often cannot say so any more, so
  // the other one keeps asking.
  const tell = (kind) => [...views.keys()].forEach((exercise) => tabs?.postMessage({ kind, exercise }));
  if (tabs && keeps) {
    const unanswered = {}; // exercise -> how many questions in a row
    tabs.onmessage = ({ data: { kind, exercise } }) => {
      const section = views.get(exercise);
      if (!section) return;
      if (kind === "asked") tabs.postMessage({ kind: "here", exercise });
      unanswered[exercise] = 0;
      if (!section.querySelector(".notice.tabs")) {
        notice(section, "tabs", "This exercise is open in another tab, too. Both tabs keep one text: what you write in one appears in the other.");
      }
    };
    tell("asked");
    addEventListener("pageshow", ({ persisted }) => persisted && tell("asked"));
    setInterval(() => {
      for (const [exercise, section] of views) {
        if (!section.querySelector(".notice.tabs")) continue;
        if (unanswered[exercise]++ < 3) tabs.postMessage({ kind: "asked", exercise });
        else notice(section, "tabs");
      }
    }, 1000);
  }
  addEventListener("storage", ({ key }) => {
    for (const section of all) if (key === KEY + nameOf(section)) restore(section);
    showProgress();
  });

  // What scrolls sideways can be reached by the keyboard.
  function reach() {
    for (const box of document.querySelectorAll(".exercise :is(pre, .checks, .source)")) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  // Pictures are as light or dark, and as wide, as the page.
  function repaint() {
    for (const section of all) {
      section.querySelector("canvas.bars")?.paint();
      const slider = section.querySelector("figure input");
      if (slider) slider.oninput();
      else draw(section);
    }
  }
  new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  addEventListener("resize", () => {
    document.querySelectorAll("canvas.bars").forEach((canvas) => canvas.paint());
    reach();
  });
  document.addEventListener("toggle", reach, true);
  reach();

  if (sections.length) {
    sections[0].id ||= "exercise";
    const skip = make("a", { className: "skip-exercise", href: `#${sections[0].id}`, text: "Skip to the exercise" });
    skip.onclick = (event) => {
      event.preventDefault();
      areas(sections[0])[0].focus();
      sections[0].querySelector(".editor").scrollIntoView({ block: "center" });
    };
    (document.querySelector("#pst-skip-link") ?? document.body).prepend(skip);
    import(new URL("_static/exercise_editor.js", place)).then(({ colour, edit }) => {
      document.querySelectorAll(".exercise .python").forEach(colour);
      for (const section of sections) for (const area of areas(section)) edit(area, () => own(".check")(section).click());
    }).catch(() => {}); // the text areas stay
  }
});
