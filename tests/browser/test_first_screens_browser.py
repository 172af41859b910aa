# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of all suites in a browser: on a phone, in the dark, on paper, the first screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixed_runs import WRITERS
from playwright.sync_api import Browser, Page
from rich.console import Console
from weft_lab.storage.store import ResultFolder
from weft_lab.suites import protocol

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}

pytestmark = pytest.mark.browser

# Words of the first charts that overlap each other or reach out of their drawing.
WORDS_IN_TROUBLE = """() => {
  const wrong = [];
  for (const svg of document.querySelectorAll("#answer .chart svg.marks")) {
    const room = svg.getBoundingClientRect();
    const seen = [...svg.querySelectorAll("text")]
      .map(each => ({ words: each.textContent, at: each.getBoundingClientRect(),
                      opacity: getComputedStyle(each).opacity }))
      .filter(each => each.words && each.at.width > 0 && each.opacity !== "0");
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
      && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    for (const each of seen) {
      const isCut = each.at.left < room.left - 1 || each.at.right > room.right + 1;
      if (isCut) wrong.push(`cut: ${each.words}`);
    }
    seen.forEach((a, i) => seen.slice(i + 1).forEach(b => {
      if (meet(a.at, b.at)) wrong.push(`overlap: ${a.words} and ${b.words}`);
    }));
  }
  return wrong;
}"""
# Of texts in charts that are seen: contrasts with the ground that they stand on.
LEAST_CONTRAST = """() => {
  const parts = color => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = light(parts(getComputedStyle(document.querySelector("#answer")).backgroundColor));
  const texts = [...document.querySelectorAll("#answer .chart text")].filter(e => e.textContent);
  return Math.min(...texts.map(e => light(parts(getComputedStyle(e).fill)))
    .map(l => (Math.max(l, ground) + 0.05) / (Math.min(l, ground) + 0.05)));
}"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("runs")
    found = {}
    for name, write in WRITERS.items():
        folder = write(place / name)
        suite = protocol.of_folder(ResultFolder.open(folder))
        suite.report(suite.read(folder, print), Console(quiet=True))
        found[name] = folder / "report.html"
    return found


def opened(browser: Browser, path: Path, size: dict[str, int], scheme: str = "light") -> Page:
    context = browser.new_context(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]  # playwright wants literals
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_function(
        "[...document.querySelectorAll('#answer .chart')].every(c => c.dataset.drawn === 'yes')"
    )
    return page


@pytest.mark.parametrize("suite", WRITERS)
def test_nothing_scrolls_sideways_on_a_phone(
    suite: str, pages: dict[str, Path], browser: Browser
) -> None:
    page = opened(browser, pages[suite], PHONE)
    for chart in page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    page.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")

    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    wide = page.locator(".scroll").evaluate_all(
        "all => all.filter(each => each.scrollWidth > each.clientWidth + 40).map(each => {"
        "  each.scrollLeft = 40;"
        "  const first = each.querySelector('tbody tr > :first-child');"
        "  return first.getBoundingClientRect().left - each.getBoundingClientRect().left; })"
    )
    frozen = [left for left in wide if abs(left) < 1]
    assert len(frozen) == len(wide)
    assert wide


@pytest.mark.parametrize("suite", WRITERS)
def test_the_first_figure_is_on_the_first_screen(
    suite: str, pages: dict[str, Path], browser: Browser
) -> None:
    page = opened(browser, pages[suite], DESK)

    box = page.locator("#answer .chart").first.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= DESK["height"]
    marks = page.locator("#answer .chart").first.locator("path, rect, line")
    assert marks.count() > 10


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("suite", WRITERS)
def test_labels_of_first_figures_are_not_covered_or_cut(
    suite: str, size: dict[str, int], pages: dict[str, Path], browser: Browser
) -> None:
    assert opened(browser, pages[suite], size).evaluate(WORDS_IN_TROUBLE) == []


@pytest.mark.parametrize("suite", WRITERS)
def test_texts_of_charts_are_seen_in_the_dark_and_on_paper_printed_from_it(
    suite: str, pages: dict[str, Path], browser: Browser
) -> None:
    page = opened(browser, pages[suite], DESK, "dark")
    assert page.evaluate(LEAST_CONTRAST) > 4.5

    page.emulate_media(media="print")

    white = "getComputedStyle(document.querySelector('#answer')).backgroundColor"
    assert page.evaluate(white) == "rgb(255, 255, 255)"
    assert page.evaluate(LEAST_CONTRAST) > 4.5
