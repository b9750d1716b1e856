// A page of the book that a room serves (lxmls_day1/browser/room_server.py) asks once whether its reader takes part. Then it sends what each
// check says: exercise, verdict, names of mistakes, number of tries, and a random number. It goes on without the room, and finds it again.
"use strict";
(() => {
  const KEY = "lxmls-day1 room";
  const TEXTS = {
    ask: "May the room count, after each check, the exercise, the verdict, the name of the mistake and the number of tries, without your code, your text and your name?",
    yes: "You take part in the room: each verdict is counted, without your code and your name.",
    no: "You do not take part in the room: nothing is sent.",
    away: "The room does not answer. Go on: what is to be sent or withdrawn waits here until it is back.",
  };
  // part: the key of a text; session: until it is withdrawn; verdicts: the last one on each exercise.
  let state = { part: "ask", session: null, verdicts: {} };
  let waiting = []; // exercises whose verdicts are to be sent
  let sending = Promise.resolve();
  let trouble = "";

  function load() {
    try {
      state = { ...state, ...JSON.parse(localStorage.getItem(KEY)) };
    } catch { /* nothing is kept, or something else wrote there */ }
    show();
  }

  function change(changes) {
    state = { ...state, ...changes };
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
    } catch { /* the choice holds for this page */ }
    show();
  }

  // Sends a message; returns whether the room knew the session before.
  async function post(message) {
    const answer = await fetch("/room", { method: "POST", body: JSON.stringify(message), signal: AbortSignal.timeout(8000) });
    if (answer.status === 400) return true; // a book of another version; sending it again would not help
    if (!answer.ok) throw answer;
    return (await answer.json()).known;
  }

  async function send() {
    const { part, session, verdicts } = state;
    if (part === "no" && session) {
      await post({ session, leave: true });
      if (state.part === "no") change({ session: null, verdicts: {} });
    }
    if (part !== "yes") return;
    if (!(await post({ session }))) waiting = Object.keys(verdicts);
    for (; waiting.length; waiting.shift()) await post({ session, exercise: waiting[0], ...state.verdicts[waiting[0]] });
  }

  async function beat() {
    sending = sending.then(send).then(() => "", ({ statusText }) => (statusText ? `Not counted yet: ${statusText}.` : TEXTS.away));
    trouble = await sending;
    show();
  }

  function take(part) {
    const random = [...crypto.getRandomValues(new Uint8Array(16))].map((x) => x.toString(16).padStart(2, "0")).join("");
    change({ part, session: state.session ?? (part === "yes" ? random : null) });
    document.querySelector(".notice.room button:not([hidden])").focus();
    beat();
  }

  function show() {
    const [text, yes, no] = document.querySelector(".notice.room").children;
    const now = `${TEXTS[state.part]} ${trouble}`;
    if (text.textContent !== now) text.textContent = now;
    yes.hidden = state.part === "yes";
    no.hidden = state.part === "no";
    no.textContent = state.part === "yes" ? "Leave the room" : "No";
  }

  document.addEventListener("lxmls-day1 verdict", ({ detail: { exercise, verdict, mistakes } }) => {
    const tries = Math.min((state.verdicts[exercise]?.tries ?? 0) + 1, 9999);
    change({ verdicts: { ...state.verdicts, [exercise]: { verdict, mistakes, tries } } });
    waiting.push(exercise);
    beat();
  });
  document.addEventListener("DOMContentLoaded", () => {
    const about = document.querySelector(".exercise .about");
    if (!about) return;
    about.insertAdjacentHTML("afterend", `<p class="notice room" role="status" style="margin-bottom: .8rem"><span></span>
      <button type="button" value="yes">Take part</button> <button type="button" value="no"></button></p>`);
    about.nextSibling.addEventListener("click", ({ target }) => target.value && take(target.value));
    addEventListener("storage", load);
    setInterval(beat, 10_000); // milliseconds
    load();
    beat();
  });
})();
