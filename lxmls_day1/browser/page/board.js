// The board of a room, for a projector (lxmls_day1/browser/room_server.py): how to join, bars and the most frequent mistakes now, a mistake
// with its picture, and the bars over time. It asks for the counts twice a second, and shows only what the server knows from the course.
import { generate } from "/room/lean_qr.js";

const KEYS = "abcdefghijkl"; // of the mistakes that are shown
const SECONDS = 0.5; // between two requests
const views = ["join", "now", "time"];
const main = document.querySelector("main");
let counts = null;
let view = "join";
let shown = ""; // what the main part shows, to leave it alone while nothing changes
let listed = []; // exercise and mistake of each key

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const get = async (name, seconds = 5) => {
  const answer = await fetch(`/board/${name}`, { signal: AbortSignal.timeout(1000 * seconds) });
  if (!answer.ok) throw new Error(answer.status === 403 ? "The room was opened anew: open the board's address that it has printed." : "");
  return answer.json();
};

// Names and emphasis as messages mark them; and the sentence that names a mistake, apart from the rest.
const prose = (text) => text.split(/(`[^`]+`|\*\w[^*]*\w\*)/).map((part, n) => (n % 2 ? make(part[0] === "`" ? "code" : "em", {}, part.slice(1, -1)) : part));
const sentences = (text) => [text.split(/(?<=[^\s.]{2}[.?]) (?=\S)/)[0]].flatMap((first) => [first, text.slice(first.length + 1)]);

const say = (text) => Object.assign(document.querySelector("#trouble"), { textContent: text });

// ---- how to join ---------------------------------------------------------------------------------------------------------

function drawJoin({ address, open, own, book }) {
  const place = address.replace(/\/$/, "");
  const lines = [make("p", { class: "address" }, place)];
  if (!open) lines.push(make("p", {}, "Only this machine can open it. ", ...(own ? ["To open it to the room: ", make("code", {}, `lxmls-day1 room --host ${own}`)] : ["It is in no network: connect it, and open the room again with --host."])));
  else if (book) lines.push(make("p", {}, "Open it in a browser, choose an exercise, and press “Take part”."));
  lines.push(make("p", {}, "With a lab of your own: ", make("code", {}, `lxmls-day1 join ${place}`), " or, in a notebook, ", make("code", {}, `lab.join("${place}")`)));
  lines.push(make("p", {}, "Counted are verdicts and mistakes: no code, no names."));
  const canvas = make("canvas", { role: "img", "aria-label": `QR code of ${place}` });
  generate(address).toCanvas(canvas, { off: [255, 255, 255, 255] });
  return make("div", { class: "join" }, ...(open ? [canvas] : []), make("div", {}, ...lines));
}

// ---- bars and mistakes ----------------------------------------------------------------------------------------------------

const KINDS = [["solved", "solved"], ["trying", "trying"], ["begun", "not begun"]];
const key = ([kind, text]) => [make("i", { class: `key ${kind}` }), text];

function drawNow({ people, exercises }) {
  // The most frequent ones, if there are more than fit; each stays below its exercise.
  const all = exercises.flatMap(({ id, mistakes }) => mistakes.map(([name, text, n]) => ({ id, name, text, n })));
  const chosen = new Set([...all].sort((a, b) => b.n - a.n).slice(0, KEYS.length));
  listed = all.filter((one) => chosen.has(one));
  const table = make("table", { class: "now" }, make("thead", {}, make("tr", {}, make("th", {}, "exercise"), make("td", { class: "drawn" }),
    ...KINDS.map((one) => make("th", { class: "count" }, ...key(one))), make("th", { class: "count", title: "how many checks those who have solved it needed (median)" }, "tries"))));
  table.style.setProperty("--lines", exercises.length * 1.15 + Math.max(listed.length, 3) + 1.5);
  const body = make("tbody");
  for (const { id, title, solved, trying, tries } of exercises) {
    const bar = make("div", { class: "bar" });
    for (const [kind, n] of [["solved", solved], ["trying", trying]]) bar.append(Object.assign(make("div", { class: kind }), { style: `width: ${(100 * n) / (people || 1)}%` }));
    body.append(make("tr", {}, make("th", { class: "name", scope: "row", title }, `${id} ${title}`), make("td", { class: "drawn" }, bar),
      ...[solved, trying, people - solved - trying, tries || ""].map((n) => make("td", { class: "count" }, String(n)))));
    for (const one of listed.filter((each) => each.id === id)) {
      const button = make("button", { type: "button", "data-key": one.name }, make("kbd", {}, KEYS[listed.indexOf(one)]), make("b", {}, `${one.n} ×`), make("span", { class: "text" }, ...prose(sentences(one.text)[0])));
      button.onclick = () => open(one);
      body.append(make("tr", { class: "mistake" }, make("td", { colspan: 6 }, button)));
    }
  }
  table.append(body);
  return table;
}

async function open({ id, name, text }) {
  const [first, rest] = sentences(text);
  const head = [make("p", { class: "sentence" }, ...prose(first)), make("p", {}, ...prose(rest))];
  show("one", make("div", { class: "one" }, ...head));
  const { picture, lines } = await get(`mistakes/${id}/${name}`, 60).catch(() => ({ lines: [["", "The room does not answer."]] }));
  if (view !== "one") return;
  const { title } = counts.exercises.find((one) => one.id === id);
  const back = make("button", { type: "button" }, make("kbd", {}, "Esc"), " Back");
  back.onclick = () => go("now");
  const example = picture ? make("img", { src: picture, alt: "A small input with the wrong answer of this mistake, beside the expected one" })
    : make("table", {}, make("tbody", {}, ...lines.map(([word, value]) => make("tr", {}, make("th", { scope: "row" }, word), make("td", {}, value)))));
  main.replaceChildren(make("div", { class: "one" }, make("h2", {}, `${id} ${title}`), ...head, example, back));
  back.focus();
}

// ---- over time -------------------------------------------------------------------------------------------------------------

function drawTime(history) {
  const end = Math.max(history.at(-1)[0], 0.1);
  const figures = counts.exercises.map(({ id, title }, k) => {
    const area = (kind, height) => {
      const points = history.map(([minutes, people, rows]) => `${(100 * minutes) / end},${100 - (100 * height(rows[k])) / (people || 1)}`);
      const made = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
      made.setAttribute("class", kind);
      made.setAttribute("points", `${(100 * history[0][0]) / end},100 ${points.join(" ")} 100,100`);
      return made;
    };
    const [trying, solved] = history.at(-1)[2][k];
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of Object.entries({ viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": `${id}: now ${solved} solved, ${trying} trying` })) svg.setAttribute(name, value);
    svg.append(area("trying", ([t, s]) => t + s), area("solved", ([, s]) => s));
    return make("figure", {}, make("figcaption", {}, `${id} ${title}`), svg);
  });
  const legend = make("p", { class: "legend" }, ...KINDS.flatMap((one) => [...key(one), " \u2003"]), `from the opening of the room to now: ${Math.round(end)} minutes`);
  return make("div", {}, legend, make("div", { class: "time" }, ...figures));
}

// ---- the page ----------------------------------------------------------------------------------------------------------------

function show(name, ...content) {
  view = name;
  const focused = main.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  main.replaceChildren(...content);
  if (focused) main.querySelector(`[data-key="${focused}"]`)?.focus();
  for (const button of document.querySelectorAll("nav [data-view]")) button.setAttribute("aria-pressed", button.dataset.view === name);
}

async function draw() {
  const content = view === "time" ? await get("history") : counts;
  if (view === "one" || shown === JSON.stringify([view, content])) return;
  shown = JSON.stringify([view, content]);
  show(view, { join: drawJoin, now: drawNow, time: drawTime }[view](content));
}

function go(name) {
  if (name === "theme") {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--ground") === "#101316";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    return;
  }
  view = name;
  shown = "";
  if (counts) draw().catch(() => {});
}

async function ask() {
  try {
    counts = await get("counts");
    document.querySelector("#people").textContent = counts.people === 1 ? "1 takes part" : `${counts.people} take part`;
    await draw();
    say("");
  } catch (error) {
    say(/^The room/.test(error.message) ? error.message : "The room does not answer. The counts are those before; the board goes on when it is back.");
  }
  setTimeout(ask, 1000 * SECONDS);
}

for (const button of document.querySelectorAll("nav button")) button.onclick = () => go(button.dataset.view);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const place = KEYS.indexOf(event.key.toLowerCase());
  if (view === "one" && (event.key === "Escape" || (event.key.length === 1 && place >= 0))) go("now");
  else if (["1", "2", "3", "4"].includes(event.key)) go([...views, "theme"][event.key - 1]);
  else if (view === "now" && event.key.length === 1 && listed[place]) open(listed[place]);
  else return;
  event.preventDefault();
});
ask();
