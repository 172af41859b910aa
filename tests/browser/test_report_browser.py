# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""report.html in a browser: offline, quiet, small, true to the samples, usable without scripts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from mpi_records import FAST_BYTES_PER_S, SLOW_BYTES_PER_S, ping_pong, results_of
from page_numbers import medians_of, wrong_numbers
from playwright.sync_api import Browser, BrowserContext, Page
from synthetic_run import TWO_PROBLEMS, Shape, write_run
from weft_lab.models.segments import segmented
from weft_lab.pages.plain_page import PlainPage, Section, write_plain_page
from weft_lab.suites.cells import build_report
from weft_lab.suites.mpi.explorer import explorer

SHAPE = Shape(exponents=(3, 7, 10, 14, 16, 18), problems=TWO_PROBLEMS, launches=5, samples=8)
SIZE_MAX_BYTES = 3_000_000
TIMEOUT_MS = 20_000

pytestmark = pytest.mark.browser


class Visit:
    """An open page, with all it said and all it asked the network for."""

    def __init__(self, context: BrowserContext, path: Path) -> None:
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_default_timeout(TIMEOUT_MS)
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def rows(self, table: str) -> list[list[str]]:
        script = "rows => rows.map(r => [...r.cells].map(c => c.textContent.trim()))"
        found: list[list[str]] = self.page.locator(f"#table-{table} tbody tr").evaluate_all(script)
        return found

    def draw_every_chart(self) -> None:
        for holder in self.page.locator(".chart").all():
            holder.scroll_into_view_if_needed()
        self.page.wait_for_function(
            "[...document.querySelectorAll('.chart')].every(c => c.dataset.drawn === 'yes')"
        )


class Opener(Protocol):
    """Opens a page in a context of its own."""

    def __call__(self, path: Path, **options: object) -> Visit: ...


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_run(tmp_path_factory.mktemp("run"), SHAPE)
    build_report(path)
    return path


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Opener]:
    contexts: list[BrowserContext] = []

    def visit(path: Path, **options: object) -> Visit:
        contexts.append(browser.new_context(**options))  # type: ignore[arg-type]
        return Visit(contexts[-1], path)

    yield visit
    for context in contexts:
        context.close()


def test_page_is_offline_quiet_and_small(folder: Path, open_page: Opener) -> None:
    path = folder / "report.html"

    visit = open_page(path)
    visit.draw_every_chart()

    assert path.stat().st_size <= SIZE_MAX_BYTES
    assert visit.messages == []
    assert [url for url in visit.requests if not url.startswith(("file:", "data:"))] == []
    assert sum(url.startswith("file:") for url in visit.requests) == 1


@pytest.fixture(scope="module")
def explorer_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ping-pongs of two transports with caches and thresholds at the same sizes."""
    rows = [
        {**each, "launch": launch}
        for launch in (1, 2)
        for rate, name in ((FAST_BYTES_PER_S, "shm"), (SLOW_BYTES_PER_S, "tcp"))
        for each in ping_pong(rate, "hot", transport=name)
    ]
    models = [
        (series, segmented(series.sizes, series.launches)) for series in results_of(rows).series()
    ]
    caches = {"L1": 1 << 15, "L2": 1 << 20, "L3": 1 << 23}
    names = ("vader_eager_limit", "vader_rndv_eager_limit", "tcp_eager_limit", "tcp_max_send_size")
    limits = {f"btl_{name}": 1 << (12 + 3 * n) for n, name in enumerate(names)}
    still = '<svg width="660" height="320"></svg>'
    section = Section("ping-pong", svgs=(still,) * 3, spec=explorer(models, caches, limits))
    page = PlainPage("title", "subtitle", "citation")
    return write_plain_page(tmp_path_factory.mktemp("page") / "report.html", page, [section])


# Of words that can be seen: those that overlap, or reach out of the window.
WORDS_IN_TROUBLE = """() => {
  const seen = [...document.querySelectorAll(".drawn text")]
    .map(each => ({
      words: each.textContent, at: each.getBoundingClientRect(),
      opacity: getComputedStyle(each).opacity, // labels that Vega hides have none
    }))
    .filter(each => each.words && each.at.width > 0 && each.opacity !== "0");
  const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 3 && b.top < a.bottom - 3;
  const wrong = seen.filter(a => a.at.left < 0 || a.at.right > innerWidth)
    .map(a => `cut: ${a.words}`);
  seen.forEach((a, i) => seen.slice(i + 1).forEach(b => {
    if (meet(a.at, b.at)) wrong.push(`overlap: ${a.words} and ${b.words}`);
  }));
  return wrong;
}"""


@pytest.mark.parametrize("width", [1200, 400])
def test_the_explorer_fits_its_window_and_names_do_not_overlap(
    explorer_page: Path, open_page: Opener, width: int
) -> None:
    visit = open_page(explorer_page, viewport={"width": width, "height": 900})
    visit.page.locator(".drawn[data-drawn=yes]").wait_for()

    assert visit.messages == []
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    assert visit.page.locator(".drawn text").count() > 30
    assert visit.page.evaluate(WORDS_IN_TROUBLE) == []
    # Nothing is drawn twice.
    assert visit.page.locator(".static:visible").count() == 0
    assert visit.page.locator(".drawn text", has_text="bandwidth, MB/s").count() == 1


def test_the_explorer_follows_its_window(explorer_page: Path, open_page: Opener) -> None:
    visit = open_page(explorer_page, viewport={"width": 1200, "height": 900})
    visit.page.locator(".drawn[data-drawn=yes]").wait_for()

    visit.page.set_viewport_size({"width": 400, "height": 900})
    visit.page.wait_for_function(
        "document.querySelector('.drawn svg')?.getBoundingClientRect().width < 400"
    )

    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 400


def test_policy_stops_a_request_that_a_script_would_make(folder: Path, open_page: Opener) -> None:
    visit = open_page(folder / "report.html")

    outcome = visit.page.evaluate(
        "fetch('http://127.0.0.1:9/').then(() => 'sent', error => 'refused')"
    )

    assert outcome == "refused"
    assert any("Content Security Policy" in message for message in visit.messages)


def test_every_chart_is_drawn_with_marks(folder: Path, open_page: Opener) -> None:
    visit = open_page(folder / "report.html")

    visit.draw_every_chart()

    names = visit.page.evaluate("[...weftViews.keys()]")
    assert {"problem_scaling", "strong_scaling", "break_even", "throughput", "samples"} <= set(
        names
    )
    for name in names:
        marks = visit.page.locator(f"#chart-{name} svg path, #chart-{name} svg rect").count()
        assert marks > 10, name


def test_times_in_the_page_are_those_of_the_samples(folder: Path, open_page: Opener) -> None:
    rows = open_page(folder / "report.html").rows("problem_scaling")

    assert len(rows) > 50
    assert wrong_numbers(rows, folder) == []


def test_every_measured_cell_at_all_threads_is_in_the_page(folder: Path, open_page: Opener) -> None:
    rows = open_page(folder / "report.html").rows("problem_scaling")

    wanted = [k for k in medians_of(folder) if k[3] == (1 if k[1] == "seq" else max(SHAPE.threads))]
    assert len(rows) == len(wanted)


def test_checker_finds_a_planted_wrong_number(
    folder: Path, tmp_path: Path, open_page: Opener
) -> None:
    text = (folder / "report.html").read_text(encoding="utf-8")
    row = open_page(folder / "report.html").rows("problem_scaling")[7]
    number, unit = row[4].split()
    planted = f"{float(number) * 1.02:.3f} {unit}"
    before, table, after = text.partition('id="table-problem_scaling"')
    cut = after.index(f">{row[4]}<")
    forged = tmp_path / "report.html"
    forged.write_text(
        before + table + after[:cut] + after[cut:].replace(f">{row[4]}<", f">{planted}<", 1),
        encoding="utf-8",
    )

    wrong = wrong_numbers(open_page(forged).rows("problem_scaling"), folder)

    assert len(wrong) == 1


def test_filter_hides_other_rows_and_is_kept_in_the_address(
    folder: Path, open_page: Opener
) -> None:
    visit = open_page(folder / "report.html")

    visit.page.fill("#filter", "sort gnu")

    script = "rows => rows.filter(r => !r.hidden).map(r => r.textContent.toLowerCase())"
    shown = visit.page.locator("table.filterable tbody tr").evaluate_all(script)
    assert shown
    assert all("sort" in text and "gnu" in text for text in shown)
    assert "filter=sort+gnu" in visit.page.url
    visit.page.reload()
    assert visit.page.input_value("#filter") == "sort gnu"


def test_a_filter_unfolds_tables_that_have_what_is_looked_for(
    folder: Path, open_page: Opener
) -> None:
    visit = open_page(folder / "report.html")
    fold = "all => all.forEach(part => { part.open = false; })"
    count = "all => all.filter(part => part.open).length"
    tables = visit.page.locator("#algorithms details")
    tables.evaluate_all(fold)
    assert tables.evaluate_all("all => all.length") > 0

    visit.page.fill("#filter", "no such algorithm")
    assert tables.evaluate_all(count) == 0
    visit.page.fill("#filter", "sort")
    assert tables.evaluate_all(count) > 0
    visit.page.fill("#filter", "")
    assert tables.evaluate_all(count) == 0


def test_selector_changes_every_chart(folder: Path, open_page: Opener) -> None:
    visit = open_page(folder / "report.html")
    visit.draw_every_chart()

    visit.page.locator("select.case").first.select_option("sort")

    for name in ("problem_scaling", "samples"):
        assert visit.page.evaluate(f"weftViews.get('{name}').signal('selected_case')") == "sort"


def test_without_scripts_tables_and_drawings_remain(folder: Path, open_page: Opener) -> None:
    visit = open_page(folder / "report.html", java_script_enabled=False)

    assert visit.page.locator("#table-decisions").is_visible()
    assert visit.page.locator("#table-problem_scaling tbody tr").count() > 50
    drawings = visit.page.locator("noscript svg, .static svg")
    assert drawings.count() >= 5
    assert drawings.first.is_visible()
    assert not visit.page.locator("#filter").is_visible()


@pytest.mark.parametrize("width", [1280, 480])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(
    folder: Path, tmp_path: Path, open_page: Opener, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 900}
    visit = open_page(folder / "report.html", viewport=size, color_scheme=scheme)
    visit.draw_every_chart()

    visit.page.screenshot(path=tmp_path / f"report-{scheme}-{width}.png", full_page=True)

    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_page_moved_away_from_its_folder_still_works(
    folder: Path, tmp_path: Path, open_page: Opener
) -> None:
    alone = tmp_path / "alone.html"
    shutil.copy(folder / "report.html", alone)

    visit = open_page(alone)
    visit.draw_every_chart()

    assert visit.messages == []
