// Part of JupyterLite's service worker, which hands the questions of kernels about files to the window, and its answers back. An answer
// names the window and not the question: two notebooks that ask at once would get each other's files. Here one question waits for the
// answer to the one before.
{
  const ask = broadcastOne;
  const last = new Map(); // by window: the answer to its last question

  broadcastOne = async (request, address) => {
    if (!address.pathname.includes("/api/drive")) return ask(request, address); // input(), which may wait for long
    const question = await request.json();
    const { browsingContextId } = question;
    const before = last.get(browsingContextId) ?? Promise.resolve();
    const answer = before.then(() => ask({ json: async () => question }, address));
    last.set(
      browsingContextId,
      answer.catch(() => {}),
    );
    return answer;
  };

  // All other requests are the browser's own, unless JupyterLite is to keep what it loads.
  const leave = shouldDrop;
  shouldDrop = (request, address) => !enableCache || leave(request, address);
}
