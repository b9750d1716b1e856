// The board of a room, for a projector (lxmls_day1/browser/room_server.py): how to join, bars and the most frequent mistakes now, a mistake
// with its picture, and the bars over time. It asks for the counts twice a second. All texts are the course's own.
import { generate } from "/room/lean_qr.js";

const KEYS = "abcdefghijkl"; // of the mistakes that are shown
const main = document.querySelector("main");
let counts = null;
let view = "1";
let shown = ""; // what the main part shows, which stays while nothing changes
let listed = []; // the mistake of each key

const safe = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt()};`);
const prose = (text) => safe(text).replace(/`([^`]+)`/g, "<code>$1</code>").replace(/\*(\w[^*]*\w)\*/g, "<em>$1</em>");
const cut = (text) => text.match(/^(.*?[^\s.]{2}[.?])( \S.*)?$|.*/s); // the sentence that names a mistake, and the rest
const key = (kind, text) => `<i class="key ${kind}"></i>${text}`;
const legend = [key("solved", "solved"), key("trying", "trying"), key("begun", "not begun")];

async function get(name, seconds = 5) {
  const answer = await fetch(`/board/${name}`, { signal: AbortSignal.timeout(1000 * seconds) });
  if (!answer.ok) throw new Error(answer.status === 403 ? "The room was opened anew: open the board's address that it has printed." : "");
  return answer.json();
}

function join({ address, open, how }) {
  return `<div class="join">${open ? '<canvas role="img" aria-label="QR code of the address"></canvas>' : ""}<div><p class="address">${safe(address)}</p><p>${prose(how)}</p>
    <p>With a lab of your own: <code>lxmls-day1 join ${safe(address)}</code> or, in a notebook, <code>lab.join("${safe(address)}")</code></p>
    <p>Verdicts and mistakes are counted: no code, no names.</p></div></div>`;
}

// Of the mistakes the most frequent ones, if there are more than fit; each stays below its exercise.
function now({ people, exercises }) {
  const all = exercises.flatMap(({ id, title, mistakes }) => mistakes.map(([name, text, n]) => ({ id, title, name, text, n })));
  const chosen = new Set([...all].sort((a, b) => b.n - a.n).slice(0, KEYS.length));
  listed = all.filter((one) => chosen.has(one));
  main.style.setProperty("--lines", exercises.length * 1.15 + Math.max(listed.length, 3) + 1.5);
  const bar = (solved, trying) => `<svg viewBox="0 0 ${people || 1} 1" preserveAspectRatio="none" aria-hidden="true"><rect class="solved" width="${solved}" height="1"/>
    <rect class="trying" x="${solved}" width="${trying}" height="1"/></svg>`;
  const rows = exercises.map(({ id, title, solved, trying, tries }) => `<tr><th scope="row" class="name" title="${safe(title)}">${id} ${safe(title)}</th>
    <td class="bar">${bar(solved, trying)}</td>${[solved, trying, people - solved - trying, tries || ""].map((n) => `<td class="count">${n}</td>`).join("")}</tr>
    ${listed.map((one, n) => (one.id === id ? `<tr class="mistake"><td colspan="6"><button type="button" data-go="${KEYS[n]}"><kbd>${KEYS[n]}</kbd> <b>${one.n} ×</b>
      <span>${prose(cut(one.text)[1] ?? one.text)}</span></button></td></tr>` : "")).join("")}`);
  return `<table class="now"><thead><tr><th>exercise</th><td class="bar"></td>${legend.map((text) => `<th class="count">${text}</th>`).join("")}
    <th class="count" title="how many checks those who have solved it needed (median)">tries</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function time({ exercises, history }) {
  const end = Math.max(history.at(-1)[0], 0.1);
  const area = (kind, height) => `<polygon class="${kind}" points="${(100 * history[0][0]) / end},100 ${history.map((one) =>
    `${(100 * one[0]) / end},${100 - (100 * height(one[2])) / (one[1] || 1)}`).join(" ")} 100,100"/>`;
  const figures = exercises.map(({ id, title, solved, trying }, k) => `<figure><figcaption>${id} ${safe(title)}</figcaption><svg viewBox="0 0 100 100"
    preserveAspectRatio="none" role="img" aria-label="${id}: now ${solved} solved, ${trying} trying">${area("trying", (at) => at[k][0] + at[k][1])}${area("solved", (at) => at[k][1])}</svg></figure>`);
  return `<p class="legend">${legend.join(" \u2003")} \u2003 from the opening of the room to now: ${Math.round(end)} minutes</p><div class="time">${figures.join("")}</div>`;
}

async function open({ id, title, name, text }) {
  view = "one";
  const [, first = text, rest = ""] = cut(text);
  const head = `<h2>${id} ${safe(title)}</h2><p class="sentence">${prose(first)}</p><p>${prose(rest)}</p>`;
  main.innerHTML = shown = `<div class="one">${head}</div>`;
  const { picture, lines } = await get(`${id}/${name}`, 60).catch(() => ({ lines: [["", "The room does not answer."]] }));
  const table = `<table><tbody>${lines.map(([word, value]) => `<tr><th scope="row">${safe(word)}</th><td>${safe(value)}</td></tr>`).join("")}</tbody></table>`;
  const example = picture ? `<img src="data:image/png;base64,${picture}" alt="A small input with the wrong answer of this mistake, beside the expected one">` : table;
  if (view === "one") main.innerHTML = `<div class="one">${head}${example}<button type="button" data-go="2"><kbd>Esc</kbd> Back</button></div>`;
}

function show() {
  const content = { 1: join, 2: now, 3: time }[view]?.(counts) ?? shown;
  if (content === shown) return;
  const focused = main.contains(document.activeElement) ? document.activeElement.dataset.go : "";
  main.innerHTML = shown = content;
  const canvas = main.querySelector("canvas");
  if (canvas) generate(counts.address).toCanvas(canvas, { off: [255, 255, 255, 255] });
  main.querySelector(`[data-go="${focused}"]`)?.focus();
  for (const button of document.querySelectorAll("nav button")) button.setAttribute("aria-pressed", button.dataset.go === view);
}

function go(name) {
  const dark = getComputedStyle(document.documentElement).getPropertyValue("--ground") === "#101316";
  if (name === "4") document.documentElement.dataset.theme = dark ? "light" : "dark";
  else if (listed[KEYS.indexOf(name)] && view === "2") open(listed[KEYS.indexOf(name)]);
  else view = KEYS.includes(name) ? "2" : name;
  if (counts) show();
}

async function ask() {
  let trouble = "";
  try {
    counts = await get("counts");
    document.querySelector("#people").textContent = counts.people === 1 ? "1 takes part" : `${counts.people} take part`;
    show();
  } catch (error) {
    trouble = /^The room/.test(error.message) ? error.message : "The room does not answer. The counts are those before; the board goes on when it is back.";
  }
  if (document.querySelector("#trouble").textContent !== trouble) document.querySelector("#trouble").textContent = trouble;
  setTimeout(ask, 500);
}

document.addEventListener("click", ({ target }) => target.closest("[data-go]") && go(target.closest("[data-go]").dataset.go));
document.addEventListener("keydown", (event) => {
  const name = event.key === "Escape" ? "2" : event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey || event.altKey || !`1234${KEYS}`.includes(name)) return;
  event.preventDefault();
  go(name);
});
ask();
