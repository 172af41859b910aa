// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws each chart that the page carries in the place of the static figures of its section, as wide
// as there is room.
"use strict";

const specs = JSON.parse(document.getElementById("specs").textContent);
const NARROW_PX = 560; // no room for legends beside each other
const LEAST_PX = 120;

// `beside`: what axes and their titles take of the room.
function fitted(spec, room, beside) {
  const made = structuredClone(spec);
  for (const panel of made.vconcat ?? [made]) {
    panel.width = Math.min(panel.width, Math.max(room - beside, LEAST_PX));
  }
  if (room < NARROW_PX) {
    const legend = { ...made.config.legend, columns: 1 };
    made.config = { ...made.config, legend: { ...legend, layout: { bottom: { direction: "vertical" } } } };
    inOneColumn(made);
  }
  return made;
}

function inOneColumn(part) {
  if (part === null || typeof part !== "object") {
    return;
  }
  if (part.legend?.columns) {
    part.legend.columns = 1;
  }
  Object.values(part).forEach(inOneColumn);
}

async function draw(holder, spec) {
  holder.hidden = false;
  const room = holder.clientWidth;
  if (holder.dataset.room === String(room)) {
    return;
  }
  holder.dataset.room = room;
  let beside = 0;
  for (let excess = 1, tries = 0; excess > 0 && tries < 3; ++tries) {
    await vegaEmbed(holder, fitted(spec, room, beside), { actions: false, renderer: "svg" });
    excess = holder.querySelector("svg").getBoundingClientRect().width - room;
    beside += Math.ceil(excess);
  }
  holder.parentElement.querySelectorAll(".static").forEach((each) => (each.hidden = true));
  holder.dataset.drawn = "yes";
}

function drawAll() {
  document.querySelectorAll(".drawn").forEach((holder, index) => draw(holder, specs[index]));
}

drawAll();
addEventListener("resize", drawAll);
