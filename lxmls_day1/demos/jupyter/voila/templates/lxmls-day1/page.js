// What the page of a demonstration does beside its widgets: it tells Python how much room there is for the figure and
// which link was opened, keeps the address in step with the controls, listens to keys, and names all controls.
(() => {
  "use strict";
  const KEYS = { " ": ".widget-play button", ArrowRight: ".demo-forth", ArrowLeft: ".demo-back", Home: ".demo-first" };
  const FOCUSABLE = "input, select, textarea, button, .noUi-handle";
  const MOST_REPEATS = 5; // the first after three seconds, the others after twice as many each
  let wanted = location.hash, told = "", timer = null, repeats = 0, repeat = null, byTab = false;

  const find = selector => document.querySelector(`.demo-page ${selector}`);

  // Voilà ends the kernel of a page that is left, if the request holds the same number as a cookie of this server.
  if (!/\b_xsrf=/.test(document.cookie)) {
    const number = [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("");
    document.cookie = `_xsrf=${number}; path=/; SameSite=Strict`;
  }

  function tell(again = false) {
    const box = find(".demo-figure"), input = find(".demo-window input");
    if (!box || !input) return;
    const scale = parseFloat(getComputedStyle(document.querySelector(".demo-page")).fontSize) / 17;
    const place = box.getBoundingClientRect();
    const height = Math.floor(document.documentElement.clientHeight - place.top - scrollY - 8 * scale);
    const room = { width: Math.floor(place.width), height, scale, link: wanted }, text = JSON.stringify(room);
    if ((text === told && !again) || place.width === 0) return;
    if (text !== told) repeats = 0;
    told = text;
    input.value = JSON.stringify({ ...room, repeats });
    input.dispatchEvent(new Event("input", { bubbles: true }));
    clearTimeout(repeat);
    if (repeats < MOST_REPEATS) repeat = setTimeout(tellAgain, 3000 * 2 ** repeats++);
  }

  // A message is lost with its connection: where the figure has not got its size, it is told once more.
  function tellAgain() {
    const box = find(".demo-figure"), canvas = box && box.querySelector("canvas");
    if (!canvas || Math.abs(canvas.getBoundingClientRect().width - box.getBoundingClientRect().width) > 8) tell(true);
  }

  function tellSoon() {
    clearTimeout(timer);
    timer = setTimeout(() => tell(), told ? 200 : 0);
  }

  function name() {
    const tips = find(".demo-tips");
    for (const [wearer, tip] of tips ? Object.entries(JSON.parse(tips.textContent)) : []) {
      const control = find(`.${wearer}`);
      if (!control || control.title === tip) continue;
      control.title = tip;
      const label = control.querySelector(".widget-label, .widget-label-basic");
      const words = label && label.textContent.replace(/\u200b/g, "").trim(); // a control without a label has a space of no width
      for (const part of control.querySelectorAll(FOCUSABLE)) {
        const own = words || part.title;
        if (!part.textContent.trim()) part.setAttribute("aria-label", own && own !== tip ? `${own}: ${tip}` : tip);
      }
    }
    for (const [number, button] of document.querySelectorAll(".demo-page .widget-play button").entries())
      button.setAttribute("aria-label", ["play or pause", "to the start"][number] || "play");
    for (const part of document.querySelectorAll(".demo-page .widget-readout"))
      if (part.isContentEditable) part.setAttribute("aria-label", "value"), part.setAttribute("role", "textbox");
    const figure = find(".demo-figure"), canvases = figure ? figure.querySelectorAll("canvas") : [];
    for (const [number, canvas] of canvases.entries()) {
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", number ? `${figure.title} (pointer)` : figure.title);
    }
  }

  function follow() {
    const link = find(".demo-permalink");
    if (told && link && link.hash !== location.hash) history.replaceState(null, "", location.pathname + location.search + link.hash);
  }

  addEventListener("pointerdown", () => { byTab = false; }, true);
  addEventListener("keydown", event => {
    if (event.key === "Tab") {
      byTab = true;
      if (event.target.closest(".demo-figure")) event.stopPropagation(); // the figure would keep it, and with it whoever came so far
    }
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
    const target = event.target;
    if (target.closest("input:not([type=checkbox]), select, textarea, [contenteditable=true]")) return;
    if (byTab && target.closest(`${FOCUSABLE}, a`)) return; // who goes from control to control wants to use that one
    const button = find(KEYS[event.key]);
    if (!button) return;
    event.preventDefault();
    event.stopPropagation();
    if (target.blur) target.blur();
    button.click();
  }, true);
  addEventListener("resize", tellSoon);
  addEventListener("hashchange", () => { wanted = location.hash; tellSoon(); });

  const sizes = new ResizeObserver(tellSoon);
  let watched = null;
  new MutationObserver(() => {
    const box = find(".demo-figure");
    if (box && box !== watched) for (const part of [watched = box, ...document.querySelectorAll(".demo-page > *")]) sizes.observe(part);
    name();
    follow();
  }).observe(document, { childList: true, subtree: true });
})();
