// A page of the book that a room serves (lxmls_day1/browser/room_server.py) asks once whether its reader takes part. Then it sends what each
// check says: exercise, verdict, names of mistakes, number of tries, and a random number. It goes on without the room, and finds it again.
"use strict";
(() => {
  const KEY = "lxmls-day1 room";
  const [BEAT, RETRY, LIMIT] = [20, 3, 8]; // seconds between two messages, after a failure, and until a failure
  const [NOW, DAY] = [1200, 43200]; // seconds after which a mistake, and a verdict, is not sent again
  let memory = {}; // where the browser keeps nothing
  let trouble = "";
  let clock = 0;
  let busy = false;

  // part: "yes" or "no"; session; leaving: a session to be withdrawn; verdicts: the last one of each exercise.
  function state() {
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(KEY));
    } catch { /* nothing is kept, or something else wrote there */ }
    const { part, session, leaving, verdicts } = { ...memory, ...kept };
    const isVerdict = ([, one]) => one?.time > Date.now() / 1000 - DAY;
    return { part, session, leaving, verdicts: Object.fromEntries(Object.entries(Object(verdicts)).filter(isVerdict)) };
  }

  function change(changes) {
    memory = { ...state(), ...changes };
    try {
      localStorage.setItem(KEY, JSON.stringify(memory));
    } catch { /* the choice holds for this page */ }
  }

  // Sends a message; returns whether the room knew the session before.
  async function post(message) {
    const answer = await fetch("/room", { method: "POST", body: JSON.stringify(message), signal: AbortSignal.timeout(1000 * LIMIT) });
    if (answer.status === 503) throw new Error("The room is full, so your verdicts are not counted. This page tries again.");
    if (answer.status === 400) return true; // a book of another version; sending it again would not help
    if (!answer.ok) throw new Error("The room is busy. Your verdicts are kept here, and sent soon.");
    return (await answer.json()).known;
  }

  function mark(exercise, sent) {
    const { verdicts } = state();
    if (verdicts[exercise]) change({ verdicts: { ...verdicts, [exercise]: { ...verdicts[exercise], sent } } });
  }

  async function send() {
    const { leaving } = state();
    if (leaving) {
      await post({ session: leaving, leave: true });
      change({ leaving: null });
    }
    const { part, session, verdicts } = state();
    if (part !== "yes") return;
    if (!(await post({ session }))) Object.keys(verdicts).forEach((exercise) => mark(exercise, false));
    for (const [exercise, { verdict, mistakes, tries, time, sent }] of Object.entries(state().verdicts)) {
      if (sent) continue;
      const named = time > Date.now() / 1000 - NOW ? mistakes : [];
      await post({ session, exercise, verdict, mistakes: named, tries });
      if (state().verdicts[exercise]?.time === time) mark(exercise, true);
    }
  }

  async function beat() {
    clearTimeout(clock);
    if (busy) return (busy = "again");
    busy = true;
    const before = trouble;
    trouble = "";
    await send().catch((error) => {
      trouble = /^The room/.test(error.message) ? error.message : "The room does not answer. Go on: your verdicts are kept here, and sent when it is back.";
    });
    if (trouble !== before) show();
    clock = setTimeout(beat, busy === "again" ? 0 : 1000 * (trouble ? RETRY : BEAT));
    busy = false;
  }

  function take(part) {
    const { session } = state();
    const fresh = [...crypto.getRandomValues(new Uint8Array(16))].map((x) => x.toString(16).padStart(2, "0")).join("");
    change(part === "yes" ? { part, session: fresh } : { part, session: null, leaving: session, verdicts: {} });
    show();
    beat();
    document.querySelector(".exercise .room button").focus();
  }

  function show() {
    const { part, leaving } = state();
    const texts = {
      yes: `You take part in the room: each verdict is counted, without your code and your name. ${trouble}`,
      no: leaving && trouble ? "You have left; what you sent is withdrawn as soon as the room answers. " : "You do not take part in the room: nothing is sent. ",
    };
    const ask = "May the room count, after each check, the exercise, the verdict, the name of the mistake and the number of tries, without your code, your text and your name? ";
    const buttons = { yes: [["no", "Leave the room"]], no: [["yes", "Take part"]] }[part] ?? [["yes", "Take part"], ["no", "No"]];
    const section = document.querySelector(".exercise");
    section.querySelector(".notice.room")?.remove();
    const notice = Object.assign(document.createElement("p"), { className: "notice room", textContent: texts[part] ?? ask });
    notice.setAttribute("role", "status");
    notice.style.marginBottom = ".8rem";
    for (const [choice, text] of buttons) notice.append(" ", Object.assign(document.createElement("button"), { type: "button", textContent: text, onclick: () => take(choice) }));
    section.querySelector(".about").after(notice);
  }

  document.addEventListener("lxmls-day1 verdict", ({ detail: { exercise, verdict, mistakes } }) => {
    const { verdicts } = state();
    const tries = Math.min((verdicts[exercise]?.tries ?? 0) + 1, 9999);
    change({ verdicts: { ...verdicts, [exercise]: { verdict, mistakes, tries, time: Date.now() / 1000, sent: false } } });
    beat();
  });
  document.addEventListener("DOMContentLoaded", () => {
    if (!document.querySelector(".exercise .about")) return;
    show();
    beat();
    addEventListener("storage", ({ key }) => key === KEY && show());
    addEventListener("online", beat);
  });
})();
