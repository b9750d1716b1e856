// Names and keyboard access that the theme and the gallery leave out; what scrolls can be reached by the keyboard.
document.addEventListener("DOMContentLoaded", () => {
  // A place that is in another part of its lesson.
  const moved = [...document.querySelectorAll("nav.parts a")].find((link) => link.hash === location.hash);
  if (moved && !document.getElementById(location.hash.slice(1))) location.replace(moved.href);
  document.querySelectorAll(".search-button-field[aria-label]").forEach((button) => 
    button.setAttribute("aria-label", button.textContent.replace(/\s+/g, " ").trim()));
  document.querySelectorAll("details > summary").forEach((summary) => {
    if (!summary.textContent.trim()) {
      const link = summary.parentElement.parentElement.querySelector("a");
      summary.setAttribute("aria-label", link ? `Pages of ${link.textContent.trim()}` : "Pages");
    }
  });
  document.querySelectorAll(".sphx-glr-thumbcontainer").forEach((card) => {
    const title = card.querySelector(".sphx-glr-thumbnail-title");
    const link = card.querySelector("a");
    if (title && link) link.setAttribute("aria-label", title.textContent.trim());
  });
  // Demonstrations in the page are light or dark as it is.
  const frames = [...document.querySelectorAll("iframe.demonstration")];
  const dress = (frame) =>
    frame.contentDocument?.querySelector("[data-demo]")?.demo?.setDark(document.documentElement.dataset.theme === "dark");
  // On a phone a frame is as high as its demonstration, whose height there depends on the width alone: only the page scrolls.
  const fit = (frame) => {
    const [demo, inside] = [frame.contentDocument?.querySelector(".demo-page"), frame.contentWindow];
    if (!demo) return;
    new inside.ResizeObserver(() => {
      const narrow = inside.matchMedia("(max-width: 42em)").matches;
      Object.assign(frame.style, narrow ? { height: `${demo.offsetHeight + frame.offsetHeight - frame.clientHeight}px`, maxHeight: "none" } : { height: "", maxHeight: "" });
    }).observe(demo);
  };
  frames.forEach((frame) => frame.addEventListener("load", () => (dress(frame), fit(frame))));
  new MutationObserver(() => frames.forEach(dress)).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const reachable = () => document.querySelectorAll('div.math, mjx-container[display="true"], pre, table, .pst-scrollable-table-container').forEach((box) => {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
  });
  reachable();
  if (window.MathJax && MathJax.startup && MathJax.startup.promise) MathJax.startup.promise.then(reachable);
  window.addEventListener("load", () => {
    if (window.MathJax && MathJax.startup && MathJax.startup.promise) MathJax.startup.promise.then(reachable);
    reachable();
  });
  window.addEventListener("resize", reachable);
});
