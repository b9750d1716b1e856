// Runs in the page beside JupyterLite: one line above the notebook that says what is being loaded, and what went wrong.
"use strict";
{
  const heard = new BroadcastChannel("lxmls-day1");
  let line = null;
  function show(text, kind = "info") {
    if (!line) {
      line = document.createElement("div");
      line.id = "lxmls-day1-line";
      line.setAttribute("role", "status");
      document.body.append(line);
    }
    line.textContent = text;
    line.dataset.kind = kind;
    line.hidden = !text;
  }
  heard.onmessage = ({ data }) => {
    if (data.kind === "loading") show(`Loading Python: ${data.name} (${data.loaded} of ${data.started} files)`);
    if (data.kind === "starting") show("Starting Python …");
    if (data.kind === "failed") show(`Python could not be started: ${data.text}`, "error");
  };
}
