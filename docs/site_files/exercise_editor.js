// The editor of the exercises: CodeJar and Prism, which stand beside this file, around the text areas of a page. A text area stays the
// place of its text; `exercise.js` reads and writes only that. Where this module cannot be loaded, the text areas are the editors.
import { CodeJar } from "./editor/codejar.js";

window.Prism = { manual: true }; // Prism would otherwise colour every program of the book.
for (const name of ["core", "python"]) await load(`./editor/prism-${name}.min.js`);

const PAIRS = { "(": ")", "[": "]", "{": "}" };
const LATER = 120; // milliseconds without a change, after which colours are renewed
const RECORDED = 400; // milliseconds, after which CodeJar has recorded what was written
const highlights = "highlights" in CSS ? new Highlight() : null;
if (highlights) CSS.highlights.set("bracket", highlights);

function load(path) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    Object.assign(script, { src: new URL(path, import.meta.url), onload: resolve, onerror: () => reject(new Error(path)) });
    document.head.append(script);
  });
}

const coloured = (text) => Prism.highlight(text, Prism.languages.python, "python");

export function colour(element) {
  element.innerHTML = coloured(element.textContent);
}

// The text of an editor. In its page one line break more stands behind it, without which a browser shows no empty line at the end.
const textOf = (editor) => editor.textContent.replace(/\n$/, "");

function colourEditor(editor) {
  editor.innerHTML = `${coloured(textOf(editor))}\n`;
}

// The text of an editor in which the browser has put lines into elements of their own.
function flattened(parent) {
  let text = "";
  let before = null;
  for (const node of parent.childNodes) {
    const isBlock = /^(DIV|P)$/.test(node.nodeName);
    if (isBlock && before && (/^(DIV|P)$/.test(before.nodeName) || !text.endsWith("\n"))) text += "\n";
    if (node.nodeName === "BR") text += parent.childNodes.length === 1 ? "" : "\n";
    else text += node.nodeType === Node.TEXT_NODE ? node.data : flattened(node);
    before = node;
  }
  return text;
}

// Puts an editor in the place of a text area.
export function edit(area, check) {
  const editor = document.createElement("div");
  editor.className = "jar";
  for (const [name, value] of [["role", "textbox"], ["tabindex", "0"], ["aria-multiline", "true"], ["aria-label", area.getAttribute("aria-label")],
    ["aria-description", "Tab leaves the editor. Control and Enter check."]]) editor.setAttribute(name, value);
  const cursor = document.activeElement === area ? area.selectionStart : null; // someone writes already
  area.removeAttribute("aria-label");
  area.hidden = true;
  area.before(editor);
  let lastInput = -RECORDED;
  editor.addEventListener("keydown", (event) => { // before CodeJar hears of a key
    if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation(); // The book takes "/" for a search.
    if (event.key.toLowerCase() === "z" && performance.now() - lastInput < RECORDED) jar.recordHistory(); // CodeJar has not done so yet
    answer(event, editor, check, jar);
  });
  const recolour = () => {
    if (document.activeElement !== editor) return colourEditor(editor);
    const place = jar.save();
    colourEditor(editor);
    jar.restore(place);
  };
  // CodeJar asks for colours 30 milliseconds after a key: on a slow processor after each, which would make writing slow.
  let timer = 0;
  const colourLater = () => {
    clearTimeout(timer);
    timer = setTimeout(recolour, LATER);
  };
  const jar = CodeJar(editor, colourLater, { tab: "    ", indentOn: /:[ \t]*$/, moveToNewLine: /^$a/, catchTab: false, addClosing: false });
  const show = () => {
    jar.updateCode(area.value, false);
    colourEditor(editor);
  };
  show();
  if (cursor !== null) {
    editor.focus();
    jar.restore({ start: cursor, end: cursor });
  }
  const changed = () => {
    const text = textOf(editor);
    if (text === area.value) return;
    area.value = text;
    area.dispatchEvent(new Event("input"));
  };
  editor.addEventListener("input", ({ isComposing }) => {
    lastInput = performance.now();
    if (editor.querySelector("div, p, br")) {
      editor.textContent = flattened(editor);
      jar.restore({ start: textOf(editor).length, end: textOf(editor).length });
    }
    changed();
    clearTimeout(timer);
    if (!isComposing) colourLater(); // a text may also arrive without keys: by a voice, or by a screen keyboard
  });
  jar.onUpdate(changed);
  area.addEventListener("shown", show);
  area.focus = () => editor.focus();
  document.addEventListener("selectionchange", () => document.activeElement === editor && matchBracket(editor));
  editor.addEventListener("blur", () => {
    highlights?.clear();
    editor.scrollLeft = 0; // long lines begin in view
  });
}

// Control and Enter check; Backspace takes an indentation of four blanks away as a whole; Tab leaves the editor, as everywhere.
function answer(event, editor, check, jar) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
  else if (event.key === "Backspace" && getSelection().isCollapsed && !event.ctrlKey && !event.altKey) {
    const { start } = jar.save();
    const line = editor.textContent.slice(0, start).split("\n").pop();
    if (!/^(?: {4})+$/.test(line)) return;
    jar.recordHistory();
    jar.restore({ start: start - 4, end: start });
    document.execCommand("delete");
    jar.recordHistory();
  } else return;
  event.preventDefault();
}

// Marks the bracket before or behind the cursor and its counterpart; brackets in strings and comments do not count.
function matchBracket(editor) {
  if (highlights?.size) highlights.clear();
  const selection = getSelection();
  if (!highlights || !selection.isCollapsed || !editor.contains(selection.anchorNode)) return;
  const walker = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT);
  const brackets = [];
  let [length, cursor] = [0, -1];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node === selection.anchorNode) cursor = length + selection.anchorOffset;
    if (!node.parentElement.closest(".string, .comment")) {
      [...node.data].forEach((sign, place) => /[()[\]{}]/.test(sign) && brackets.push({ sign, node, place, at: length + place }));
    }
    length += node.data.length;
  }
  const open = [];
  for (const bracket of brackets) {
    if (bracket.sign in PAIRS) open.push(bracket);
    else if (PAIRS[open.at(-1)?.sign] === bracket.sign) {
      const pair = [open.pop(), bracket];
      if (!pair.some(({ at }) => at === cursor || at + 1 === cursor)) continue;
      for (const { node, place } of pair) {
        const range = new Range();
        range.setStart(node, place);
        range.setEnd(node, place + 1);
        highlights.add(range);
      }
    }
  }
}
