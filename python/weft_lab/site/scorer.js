// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the search ranks: first the public name that was typed, then as Sphinx does.
const typedName = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();

// eslint-disable-next-line no-unused-vars
var Scorer = {
  score: (result) => {
    const [page, title, anchor, , score] = result;
    const name = title.toLowerCase();
    const isEntry = page.startsWith("reference/api/") && anchor;
    const isTyped = name === typedName || name === `weft::${typedName}`;
    const isLast = name.split("::").pop() === typedName;
    return isEntry && isTyped ? score + 100 : isEntry && isLast ? score + 50 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
