// The board of a room, for a projector (lxmls_day1/browser/room_server.py): how to join, bars and the most frequent mistakes now, a mistake
// with its picture, and the bars over time. It asks for the counts twice a second. All texts are the course's own.
import { generate } from "/room/lean_qr.js";

const KEYS = "abcdefghijklmnopqrstuvwxyz"; // of the mistakes
const AWAY = "The room does not answer. The counts are those before; the board goes on when it is back.";
const ANEW = "The room was opened anew: open the board's address that it has printed.";
const filled = {}; // what each part of the page shows
let listed = []; // the mistake of each key

const part = (selector) => document.querySelector(selector);
const safe = (text) => String(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt()};`);
const prose = (text) => safe(text).replace(/`([^`]+)`/g, "<code>$1</code>").replace(/\*(\w[^*]*\w)\*/g, "<em>$1</em>");
const cut = (text) => text.match(/^(.*?[.?])( \S.*)?$|.*/s); // the sentence that names a mistake, and the rest

// Fills a part of the page, which stays while nothing changes.
function fill(selector, content) {
  if (filled[selector] === content) return;
  const focused = document.activeElement.dataset.go;
  part(selector).innerHTML = filled[selector] = content;
  part(`${selector} [data-go="${focused}"]`)?.focus();
}

// The mistakes stay below their exercise.
function bars({ people, exercises }) {
  listed = exercises.flatMap(({ id, title, mistakes }) => mistakes.map(([name, text, n]) => ({ id, title, name, text, n })));
  part("main").style.setProperty("--lines", exercises.length * 1.15 + Math.max(listed.length, 3) + 1.5);
  const mistake = (one, n) => `<tr class="mistake"><td colspan="6"><button type="button" data-go="${KEYS[n]}"><kbd>${KEYS[n]}</kbd> <b>${one.n} ×</b>
    <span>${prose(cut(one.text)[1] ?? one.text)}</span></button></td></tr>`;
  return exercises.map(({ id, title, solved, trying, tries }) => `<tr><th scope="row" class="name" title="${safe(title)}">${id} ${safe(title)}</th>
    <td class="bar"><svg viewBox="0 0 ${people || 1} 1" preserveAspectRatio="none" aria-hidden="true"><rect class="solved" width="${solved}" height="1"/>
    <rect class="trying" x="${solved}" width="${trying}" height="1"/></svg></td><td>${[solved, trying, people - solved - trying, tries || ""].join("</td><td>")}</td></tr>
    ${listed.map((one, n) => (one.id === id ? mistake(one, n) : "")).join("")}`).join("");
}

function areas({ exercises, history }) {
  const end = Math.max(history.at(-1)[0], 0.1);
  const area = (kind, height) => `<polygon class="${kind}" points="0,100 ${history.map(([minutes, people, all]) =>
    `${(100 * minutes) / end},${100 - (100 * height(all)) / (people || 1)}`).join(" ")} 100,100"/>`;
  return exercises.map(({ id, title, solved, trying }, k) => `<figure><figcaption>${id} ${safe(title)}</figcaption>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${id}: now ${solved} solved, ${trying} trying">
    ${area("trying", (all) => all[k][0] + all[k][1])}${area("solved", (all) => all[k][1])}</svg></figure>`).join("");
}

async function open(one) {
  const [, first = one.text, rest = ""] = cut(one.text);
  const head = `<h2>${one.id} ${safe(one.title)}</h2><p class="sentence">${prose(first)}</p><p>${prose(rest)}</p>`;
  fill(".one div", head);
  const { picture, text } = await fetch(`/board/${one.id}/${one.name}`).then((answer) => answer.json()).catch(() => ({ text: AWAY }));
  if (filled[".one div"] === head) fill(".one div", head + (picture ? `<img src="data:image/png;base64,${picture}" alt="A small input with both answers">` : `<pre>${safe(text)}</pre>`));
}

function go(name) {
  const mistake = listed[KEYS.indexOf(name)];
  if (mistake) open(mistake);
  document.body.dataset.view = mistake ? "one" : name;
  for (const button of document.querySelectorAll("nav button")) button.setAttribute("aria-pressed", button.dataset.go === name);
}

async function ask() {
  const counts = await fetch("/board/counts", { signal: AbortSignal.timeout(5000) }).then((answer) =>
    answer.ok ? answer.json() : { trouble: answer.status === 403 ? ANEW : AWAY }).catch(() => ({ trouble: AWAY }));
  fill("#trouble", counts.trouble ?? "");
  if (!counts.trouble) {
    fill("#people", counts.people === 1 ? "1 takes part" : `${counts.people} take part`);
    fill("#minutes", Math.round(counts.history.at(-1)[0]));
    fill("tbody", bars(counts));
    fill(".time div", areas(counts));
  }
  setTimeout(ask, 500);
}

document.addEventListener("click", ({ target }) => target.closest("[data-go]") && go(target.closest("[data-go]").dataset.go));
document.addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey }) => {
  const button = part(`[data-go="${CSS.escape(key === "Escape" ? "2" : key.toLowerCase())}"]`);
  if (button && !ctrlKey && !metaKey && !altKey) button.click();
});
generate(part("canvas").dataset.address).toCanvas(part("canvas"), { off: [255, 255, 255, 255] });
go("1"); ask();
