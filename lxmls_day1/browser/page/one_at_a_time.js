// Part of JupyterLite's service worker, which passes the kernels' requests for files to the window, and its answers back. An answer names the
// window but not the request, so two notebooks that send requests at the same time would get each other's files. Therefore a request waits
// here for the answer to the previous one.
{
  const ask = broadcastOne;
  const last = new Map(); // from window to the answer to its last request

  broadcastOne = async (request, address) => {
    if (!address.pathname.includes("/api/drive")) return ask(request, address); // a request of input(), which may wait for a long time
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

  // The browser handles all other requests itself, unless JupyterLite caches them.
  const leave = shouldDrop;
  shouldDrop = (request, address) => !enableCache || leave(request, address);
}
