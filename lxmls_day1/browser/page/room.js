// A page of the book that a room serves (lxmls_day1/browser/room_server.py) asks once whether its reader takes part. Then it sends what each
// check says: exercise, verdict, names of mistakes, number of tries, and a random number. It goes on without the room, and finds it again.
"use strict";
(() => {
  const KEY = "lxmls-day1 room";
  const [BEAT, RETRY, LIMIT] = [20, 3, 8]; // seconds between two messages, after a failure, and until a failure
  const [RECENT, DAY] = [1200, 43200]; // seconds after which a mistake, and a verdict, is not sent again
  let memory = {}; // also where the browser keeps nothing
  let trouble = "";
  let clock = 0;
  let busy = false;
  const seconds = () => Date.now() / 1000;

  // part: "yes" or "no"; session; leaving: a session to be withdrawn; verdicts: the last one on each exercise.
  function state() {
    try {
      memory = { ...memory, ...JSON.parse(localStorage.getItem(KEY)) };
    } catch { /* nothing is kept, or something else wrote there */ }
    if (!/^[0-9a-f]{32}$/.test(memory.session) && memory.part === "yes") memory.part = null;
    const verdicts = Object.entries(Object(memory.verdicts)).filter(([, one]) => one?.time > seconds() - DAY);
    return { ...memory, verdicts: Object.fromEntries(verdicts) };
  }

  function change(changes) {
    memory = { ...state(), ...changes };
    try {
      localStorage.setItem(KEY, JSON.stringify(memory));
    } catch { /* the choice holds for this page */ }
  }

  const keep = (exercise, changes) => change({ verdicts: { ...state().verdicts, [exercise]: { ...state().verdicts[exercise], ...changes } } });

  // Sends a message; returns whether the room knew the session before.
  async function post(message) {
    const answer = await fetch("/room", { method: "POST", body: JSON.stringify(message), signal: AbortSignal.timeout(1000 * LIMIT) });
    if (answer.status === 400) return true; // a book of another version; sending it again would not help
    if (!answer.ok) throw new Error(answer.status === 503 ? "The room is full, so your verdicts are not counted yet." : "The room is busy; your verdicts are sent soon.");
    return (await answer.json()).known;
  }

  async function send() {
    if (state().leaving) await post({ session: state().leaving, leave: true });
    change({ leaving: null });
    const { part, session } = state();
    if (part !== "yes") return;
    if (!(await post({ session }))) for (const exercise of Object.keys(state().verdicts)) keep(exercise, { sent: false });
    for (const [exercise, { verdict, mistakes, tries, time, sent }] of Object.entries(state().verdicts)) {
      if (!sent) await post({ session, exercise, verdict, mistakes: time > seconds() - RECENT ? mistakes : [], tries });
      if (state().verdicts[exercise]?.time === time) keep(exercise, { sent: true });
    }
  }

  async function beat() {
    clearTimeout(clock);
    if (busy) return (busy = "again");
    busy = true;
    const before = trouble;
    trouble = await send().catch(({ message }) => (/^The room/.test(message) ? message : "The room does not answer. Go on: your verdicts are kept here, and sent when it is back."));
    if ((trouble ??= "") !== before) show();
    clock = setTimeout(beat, busy === "again" ? 0 : 1000 * (trouble ? RETRY : BEAT));
    busy = false;
  }

  function take(part) {
    const session = [...crypto.getRandomValues(new Uint8Array(16))].map((x) => x.toString(16).padStart(2, "0")).join("");
    change(part === "yes" ? { part, session } : { part, session: null, leaving: state().session, verdicts: {} });
    show();
    beat();
    document.querySelector(".notice.room button").focus();
  }

  function show() {
    const { part, leaving } = state();
    const [text, ...buttons] = {
      yes: [`You take part in the room: each verdict is counted, without your code and your name. ${trouble}`, ["no", "Leave the room"]],
      no: [leaving && trouble ? "You have left; what you sent is withdrawn as soon as the room answers." : "You do not take part in the room: nothing is sent.", ["yes", "Take part"]],
    }[part] ?? ["May the room count, after each check, the exercise, the verdict, the name of the mistake and the number of tries, without your code, your text and your name?", ["yes", "Take part"], ["no", "No"]];
    const notice = Object.assign(document.createElement("p"), { className: "notice room", role: "status", textContent: text });
    notice.style.marginBottom = ".8rem";
    for (const [choice, label] of buttons) notice.append(" ", Object.assign(document.createElement("button"), { type: "button", textContent: label, onclick: () => take(choice) }));
    document.querySelector(".notice.room")?.remove();
    document.querySelector(".exercise .about").after(notice);
  }

  document.addEventListener("lxmls-day1 verdict", ({ detail: { exercise, verdict, mistakes } }) => {
    const tries = Math.min((state().verdicts[exercise]?.tries ?? 0) + 1, 9999);
    keep(exercise, { verdict, mistakes, tries, time: seconds(), sent: false });
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
