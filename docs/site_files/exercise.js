// Exercises in a page: the page's side. It keeps what is written, starts Python when a gap is touched, and shows the verdict.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const all = [...document.querySelectorAll("[data-exercise]")];
  const sections = all.filter((section) => !section.matches(".experiment"));
  const KEY = "lxmls-day1 exercise ";
  const PATIENCE = 60; // seconds without an answer, after which Python is started anew
  const BYTES = 20e6; // about so many are loaded
  const place = new URL(document.documentElement.dataset.content_root ?? "../../", document.baseURI);
  const views = new Map(); // exercise -> its section
  let worker = null;
  let ready = false;
  let asked = null; // what Python is working on
  let waiting = null; // what it is to do once it has started
  let clock = 0;

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
    worker = asked = null;
    ready = false;
    clearTimeout(clock);
  }

  function ask(question) {
    start();
    if (!worker) return;
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
    clock = setTimeout(() => {
      stop();
      say("There was no answer, so Python was stopped. Is there a loop that never ends? Check starts Python again.");
      enable(true);
    }, 1000 * PATIENCE);
  }

  function hear(data) {
    if (data.kind === "loading") {
      if (asked) wait(); // what a picture needs arrives
      else say(`Loading Python: ${Math.min(99, Math.round((100 * data.loaded) / BYTES))} %`);
    } else if (data.kind === "starting") say("Starting Python …");
    else if (data.kind === "ready") {
      ready = true;
      say(waiting ? "Checking …" : "Python is ready.");
      if (waiting) ask(waiting);
      waiting = null;
    } else if (data.kind === "failed") {
      stop();
      waiting = null;
      say(`Python could not be started: ${data.text}`);
      enable(true);
    } else {
      clearTimeout(clock);
      asked = null;
      const section = views.get(data.exercise);
      if (data.kind === "check") showReport(section, data);
      else if (data.kind === "picture") showPicture(section, data);
      else if (data.kind === "pack") download(data);
      else if (data.asked === "check") report(section, [["bad", `The check could not be completed: ${data.text}`]]);
      else say(data.text);
      enable(true);
    }
  }

  function enable(yes) {
    for (const section of sections) section.querySelector(".check").disabled = !yes;
  }

  function say(text) {
    for (const section of all) {
      const state = section.querySelector(".state");
      if (state.textContent !== text) state.textContent = text;
    }
  }

  // ---- what is written ---------------------------------------------------------------------------------------------------

  function keep(name, value) {
    try {
      if (value === null) localStorage.removeItem(KEY + name);
      else localStorage.setItem(KEY + name, JSON.stringify(value));
    } catch { /* the browser keeps nothing: the exercise works without */ }
  }

  // Shows what was kept, and keeps what is written from now on: of an experiment the answers by their cells in a notebook, of code the texts.
  function restore(section) {
    let before = {};
    try {
      before = JSON.parse(localStorage.getItem(KEY + nameOf(section))) ?? {};
    } catch { /* as above */ }
    areas(section).forEach((area, place) => {
      area.value = before[area.dataset.cell] ?? before[place] ?? "";
      area.addEventListener("input", () => keep(nameOf(section), texts(section)));
    });
  }

  // All that was written, in this page and in others; the answers to experiments apart.
  function written() {
    const found = {};
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith(KEY)) found[key.slice(KEY.length)] = JSON.parse(localStorage[key]);
    } catch { /* as above */ }
    for (const section of all) found[nameOf(section)] = texts(section);
    const names = Object.keys(found);
    const answers = Object.assign({}, ...names.filter(isAnswer).map((name) => found[name]));
    return { written: Object.fromEntries(names.filter((name) => !isAnswer(name)).map((name) => [name, found[name]])), answers };
  }

  const isAnswer = (name) => name.endsWith(" answer");
  const areas = (section) => [...section.querySelectorAll("textarea")];
  const nameOf = (section) => section.dataset.exercise + (section.matches(".experiment") ? " answer" : "");

  function texts(section) {
    const values = areas(section).map((area) => [area.dataset.cell, area.value]);
    return section.matches(".experiment") ? Object.fromEntries(values) : values.map(([, text]) => text);
  }

  // ---- what is shown -----------------------------------------------------------------------------------------------------

  function asLines(lines) {
    return lines.map(([style, text]) => {
      const line = document.createElement("div");
      line.className = style || "plain";
      line.textContent = text || "\u00a0";
      return line;
    });
  }

  // What is shown, and below it, folded, the lines of all checks.
  function report(section, first, all = []) {
    const shown = asLines(first);
    if (all.length) {
      const folded = document.createElement("details");
      folded.innerHTML = "<summary>All checks</summary>";
      folded.append(...asLines(all));
      shown.push(folded);
    }
    section.querySelector(".report").replaceChildren(...shown);
  }

  function showReport(section, data) {
    report(section, data.first, data.lines);
    section.classList.toggle("passed", data.passed);
    say(data.passed ? "All checks pass." : "Not yet: see below.");
    section.querySelector(".solution").disabled = false;
    section.querySelector(".solution").removeAttribute("title");
    section.querySelector(".take").hidden = false;
    draw(section, data.trace);
    if (data.example) ask({ kind: "picture", exercise: section.dataset.exercise, written: {}, example: data.example });
  }

  function showPicture(section, data) {
    const folded = section.querySelector(".report > details");
    if (!data.image || !folded) return;
    const image = document.createElement("img");
    image.src = `data:image/png;base64,${data.image}`;
    image.alt = "The smallest input for which your code is wrong: the expected answer, and yours";
    folded.before(image);
  }

  // The address of the browser lab, if the book was built with one: there the work goes on.
  const lab = document.documentElement.dataset.lab;
  let goesOn = false;

  function download({ name, content, notebook }) {
    if (goesOn) {
      location.href = `${lab}lab/index.html?path=${encodeURIComponent(notebook)}#work=${encodeURIComponent(content)}`;
      return;
    }
    const link = document.createElement("a");
    link.href = `data:application/zip;base64,${content}`;
    link.download = name;
    link.click();
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

  function offerHints(section) {
    const hint = section.querySelector(".hint");
    hint.onclick = () => {
      const next = section.querySelector(".hints > [hidden]");
      if (next) next.hidden = false;
      hint.disabled = !section.querySelector(".hints > [hidden]");
    };
  }

  function offerToTake(section) {
    const take = section.querySelector(".take");
    const pack = (onward) => () => {
      goesOn = onward;
      ask({ kind: "pack", exercise: section.dataset.exercise, ...written() });
    };
    take.onclick = pack(false);
    if (lab) take.insertAdjacentHTML("afterend", ' <button type="button" class="open-lab">Open in the browser lab</button>');
    const open = section.querySelector(".open-lab");
    if (open) open.onclick = pack(true);
  }

  // ---- each exercise -------------------------------------------------------------------------------------------------------

  for (const section of sections) {
    const exercise = section.dataset.exercise;
    const of = (name) => section.querySelector(name);
    views.set(exercise, section);
    draw(section);
    restore(section);
    for (const area of areas(section)) {
      area.addEventListener("focus", start, { once: true });
      area.addEventListener("keydown", (event) => indent(event, area));
    }
    of(".check").onclick = () => {
      enable(false);
      say(ready ? "Checking …" : "Python is starting …");
      ask({ kind: "check", exercise, ...written() });
    };
    offerHints(section);
    of(".solution").onclick = () => (of(".solutions").hidden = !of(".solutions").hidden);
    of(".reset").onclick = () => {
      for (const area of areas(section)) area.value = "";
      keep(exercise, null);
      report(section, []);
      draw(section);
      section.classList.remove("passed");
      say("");
      areas(section)[0].focus();
    };
    offerToTake(section);
  }

  // An experiment is no code: Check shows the answers of the lesson, to compare one's own with.
  for (const section of document.querySelectorAll(".experiment")) {
    const state = section.querySelector(".state");
    const show = (yes) => {
      for (const solution of section.querySelectorAll(".solutions")) solution.hidden = !yes;
      section.querySelector(".take").hidden = !yes;
    };
    restore(section);
    offerToTake(section);
    section.querySelector(".check").onclick = () => {
      const all = areas(section).every((area) => area.value.trim());
      show(all);
      state.textContent = all ? "No program can mark an explanation: compare yours with the lesson's, below it." : "Write your own answer first, to every question.";
    };
    offerHints(section);
    section.querySelector(".reset").onclick = () => {
      for (const area of areas(section)) area.value = "";
      keep(nameOf(section), null);
      show(false);
      state.textContent = "";
    };
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
});
