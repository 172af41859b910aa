// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the search ranks: first the public name that was typed, then as Sphinx does.
const typedText = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();
const typedName = typedText.replace(/\s+/g, "_"); // "task group" is typed for task_group

// eslint-disable-next-line no-unused-vars
var Scorer = {
  score: (result) => {
    const [page, title, anchor, , score] = result;
    const name = title.toLowerCase();
    const isEntry = page.startsWith("reference/api/") && anchor;
    const isTyped = name === typedName || name === `weft::${typedName}`;
    const isLast = name.split("::").pop() === typedName;
    // The page of a name of several words that are among those typed: "cost of task group".
    const header = !anchor && page.startsWith("reference/api/") ? page.split("/").pop() : "";
    const isAmongTyped = header.includes("_") && `_${typedName}_`.includes(`_${header}_`);
    if (isEntry && isTyped) return score + 100;
    return (isEntry && isLast) || isAmongTyped ? score + 50 : score;
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
