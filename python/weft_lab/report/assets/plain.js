// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws each chart that the page carries in the place of the static figure after it.
"use strict";

const specs = JSON.parse(document.getElementById("specs").textContent);
document.querySelectorAll(".drawn").forEach(async (holder, index) => {
  holder.hidden = false;
  await vegaEmbed(holder, specs[index], { actions: false, renderer: "svg" });
  const next = holder.nextElementSibling;
  if (next !== null && next.classList.contains("static")) {
    next.hidden = true;
  }
});
