// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings the page to life: charts drawn when they come into view, one case selector, a filter, copy buttons.
"use strict";

(() => {
  const content = JSON.parse(document.getElementById("weft-data").textContent);
  const narrow = window.matchMedia("(max-width: 640px)");
  const vegaErrorLevel = 1; // an algorithm without intervals is no reason for a warning
  const besidePx = 60; // axes and gaps of a small chart
  const views = new Map();
  window.weftViews = views;

  function merged(base, over) {
    const result = { ...base };
    for (const [key, value] of Object.entries(over)) {
      const isObject = value && typeof value === "object" && !Array.isArray(value);
      result[key] = isObject ? merged(base[key] || {}, value) : value;
    }
    return result;
  }

  function datasetsOf(names) {
    return Object.fromEntries(names.map((name) => {
      const { keys, rows } = content.datasets[name];
      return [name, rows.map((row) => Object.fromEntries(keys.map((key, i) => [key, row[i]])))];
    }));
  }

  async function draw(name) {
    const figure = content.figures[name];
    const config = narrow.matches ? merged(figure.spec.config, { legend: { columns: 2 }, axisY: { labelLimit: 110 }, axisRight: { labelLimit: 130 } }) : figure.spec.config;
    const params = (figure.spec.params || []).map((p) => (p.name === "selected_case" ? { ...p, value: caseOf(name) } : p));
    const spec = { ...figure.spec, config, params, datasets: datasetsOf(figure.datasets) };
    const holder = document.getElementById(`chart-${name}`);
    // Small charts stand beside each other as there is room.
    if (spec.columns) spec.columns = Math.max(1, Math.min(spec.columns, Math.floor(holder.clientWidth / (spec.spec.width + besidePx))));
    const { view } = await vegaEmbed(holder, spec, {
      renderer: "svg", actions: { export: true, source: false, compiled: false, editor: false },
      downloadFileName: name, hover: true,
      logLevel: vegaErrorLevel,
    });
    views.set(name, view);
    holder.dataset.drawn = "yes";
  }

  async function drawOrSay(name) {
    try {
      await draw(name);
    } catch (error) {
      document.getElementById(`chart-${name}`).textContent = `This chart could not be drawn: ${error.message}. The numbers are below.`;
      console.error(error);
    }
  }

  let selectedCase = "";
  function caseOf(name) {
    const cases = content.figures[name].cases;
    return cases.includes(selectedCase) ? selectedCase : cases[0] || "";
  }

  function selectCase(wanted, mustRecord) {
    selectedCase = wanted;
    for (const select of document.querySelectorAll("select.case")) {
      if ([...select.options].some((option) => option.value === wanted)) select.value = wanted;
    }
    for (const [name, view] of views) {
      if (content.figures[name].cases.length) view.signal("selected_case", caseOf(name)).runAsync();
    }
    if (mustRecord) writeHash();
  }

  function writeHash() {
    const state = new URLSearchParams();
    if (selectedCase) state.set("case", selectedCase);
    const words = document.getElementById("filter").value;
    if (words) state.set("filter", words);
    history.replaceState(null, "", `#${state}`);
  }

  function readHash() {
    const state = new URLSearchParams(location.hash.slice(1));
    const filter = document.getElementById("filter");
    if (state.has("filter")) filter.value = state.get("filter");
    if (state.has("case")) selectCase(state.get("case"), false);
    applyFilter();
  }

  function applyFilter() {
    const words = document.getElementById("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    let total = 0;
    for (const row of document.querySelectorAll("table.filterable tbody tr")) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      total += 1;
      shown += row.hidden ? 0 : 1;
    }
    // A folded table that has what is looked for is unfolded.
    for (const folded of document.querySelectorAll("section details:has(table.filterable)")) {
      if (words.length > 0) {
        folded.dataset.wasOpen ??= String(folded.open);
        folded.open ||= folded.querySelector("tbody tr:not([hidden])") !== null;
      } else if (folded.dataset.wasOpen !== undefined) {
        folded.open = folded.dataset.wasOpen === "true";
        delete folded.dataset.wasOpen;
      }
    }
    document.body.classList.toggle("filtering", words.length > 0);
    document.getElementById("filter-count").textContent = words.length ? `${shown} of ${total} rows in all tables` : "";
  }

  async function copyText(button) {
    const text = button.parentElement.querySelector("pre").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(button.parentElement.querySelector("pre"));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    const before = button.textContent;
    button.textContent = "copied";
    setTimeout(() => { button.textContent = before; }, 1200);
  }

  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting && !entry.target.dataset.asked) {
        entry.target.dataset.asked = "yes";
        drawOrSay(entry.target.dataset.figure);
      }
    }
  }, { rootMargin: "600px" });

  for (const holder of document.querySelectorAll(".chart")) observer.observe(holder);
  for (const select of document.querySelectorAll("select.case")) {
    select.addEventListener("change", () => selectCase(select.value, true));
  }
  for (const button of document.querySelectorAll("button.copy")) {
    button.addEventListener("click", () => copyText(button));
  }
  document.getElementById("filter").addEventListener("input", () => { applyFilter(); writeHash(); });
  window.addEventListener("hashchange", readHash);
  narrow.addEventListener("change", () => { for (const name of views.keys()) drawOrSay(name); });
  window.addEventListener("beforeprint", () => {
    for (const holder of document.querySelectorAll(".chart:not([data-asked])")) {
      holder.dataset.asked = "yes";
      drawOrSay(holder.dataset.figure);
    }
  });
  readHash();
})();
