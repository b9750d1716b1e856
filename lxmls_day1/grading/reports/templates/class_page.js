// Search and sorting on the instructor's pages. This script creates every control that needs it, so a page without it has no dead
// controls. Texts are only compared and counted; a student's text never becomes markup.
"use strict";

const PLAIN = { æ: "ae", đ: "d", ł: "l", ø: "o", œ: "oe", ß: "ss" }; // letters that Unicode does not decompose into a letter and a mark
const plain = (text) =>
  text.normalize("NFKD").replace(/[\p{M}'’]/gu, "").toLowerCase().replace(/[æđłøœß]/g, (letter) => PLAIN[letter]);

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function addSearch(place) {
  const items = [...document.querySelectorAll("[data-student]")];
  const texts = items.map((item) => plain(item.dataset.student));
  const input = make("input", { type: "search", id: "search-text", autocomplete: "off", spellcheck: false });
  const found = make("output", { htmlFor: "search-text", className: "quiet small" });
  const look = () => {
    const wanted = plain(input.value).split(/\s+/).filter(Boolean);
    items.forEach((item, n) => {
      item.hidden = !wanted.every((word) => texts[n].includes(word));
    });
    const shown = new Set(texts.filter((_, n) => !items[n].hidden)); // a student may be in several tables
    found.textContent = wanted.length ? `${shown.size} of ${new Set(texts).size}` : "";
  };
  input.addEventListener("input", look);
  place.append(make("label", { htmlFor: "search-text" }, place.dataset.label), " ", input, " ", found);
  place.hidden = false;
  look();
}

function valueOf(row, column) {
  const bar = row.cells[column].querySelector(".bar > span");
  const text = bar ? bar.style.width : row.cells[column].textContent.trim().replace("−", "-");
  const number = parseFloat(text);
  return Number.isNaN(number) ? [1, 0, text] : [0, number, text];
}

function compare([kindA, numberA, textA], [kindB, numberB, textB]) {
  return kindA - kindB || numberA - numberB || textA.localeCompare(textB);
}

function addSorting(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = make("button", { type: "button", className: "sort", textContent: head.textContent.trim() });
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const again = [...body.querySelectorAll(".again")]; // the heads, repeated for print
      const places = again.map((row) => row.sectionRowIndex);
      again.forEach((row) => row.remove());
      const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
      rows.sort(([a], [b]) => (down ? -compare(a, b) : compare(a, b)));
      body.append(...rows.map(([, row]) => row));
      again.forEach((row, n) => body.rows[places[n]].before(row));
    });
    head.replaceChildren(button);
  });
}

document.querySelectorAll("[data-label]").forEach(addSearch);
document.querySelectorAll("table.sortable").forEach(addSorting);
