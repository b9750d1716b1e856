// How Sphinx orders what a search finds: pages about a word first, then classes and functions of that name, then pages that mention it.
"use strict";
var Scorer = {
  score: ([page, , , , score, , kind]) => {
    if (kind === "object") return score;
    if (page.startsWith("docs/reference/generated/")) return score - 10; // their titles are names of modules
    const isOfCourse = /^(notebooks\/\d|docs\/(exercises|lessons|explanations|demonstrations)\b)/.test(page);
    const isAbout = score >= Scorer.partialTitle; // the word is in a title
    return score + (isAbout ? 20 : 0) + (isOfCourse ? (isAbout ? 20 : 3) : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 0, 1: 0, 2: -5 }, // a module is no better than what it holds
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
