# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation site in a browser: offline, searchable, readable on a phone and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from weft_lab.commands import verb, verb_names
from weft_lab.site.build import build_site
from weft_lab.storage.checkout import CHECKOUT

TIMEOUT_MS = 20_000
# Pages of each kind: first page, guide with pictures and wide tables, entry, long reference.
PAGES = (
    *("index", "start", "how_the_scheduler_works", "halo", "tutorials/tree", "glossary"),
    *("reference/api/index", "reference/api/tasks", "reference/api/tasks/task_group"),
    *("reference/command_line", "reference/options", "source/examples/tree.cpp"),
)
DARKER_THAN = 80  # of 255: the background in the dark
IS_ON_PAPER = """selector => [...document.querySelectorAll(selector)].some(
    each => each.getClientRects().length > 0)"""

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site() -> Path:
    """The folder of the site, built anew where a page has changed."""
    pytest.importorskip("sphinx", reason="packaging/python/docs.lock is not installed")
    verbs = {name: verb(name) for name in verb_names()}
    return build_site(CHECKOUT, verbs, CHECKOUT / "build" / "docs").parent


class Visit:
    """An open page of the site, with what it said and what it asked the network for."""

    def __init__(
        self, browser: Browser, page: Path, width: int = 1280, scheme: str = "light"
    ) -> None:
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT_MS)
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(page.as_uri())


def search(visit: Visit, text: str) -> list[str]:
    """Types into the search of the page and returns the results, once there are all."""
    visit.page.locator(".sidebar-search").fill(text)
    visit.page.locator(".sidebar-search").press("Enter")
    visit.page.wait_for_function(
        "document.querySelector('.search-summary')?.textContent.includes('found')"
    )
    return visit.page.locator("#search-results li a").all_inner_texts()


def test_search_for_a_name_leads_to_its_cost_in_one_click(site: Path, browser: Browser) -> None:
    visit = Visit(browser, site / "index.html")

    results = search(visit, "task_group")
    visit.page.locator("#search-results li a").first.click()
    visit.page.wait_for_url("**/reference/api/tasks/task_group.html#weft-task-group")

    assert results[0] == "weft::task_group"
    visit.page.wait_for_timeout(200)  # until the page has scrolled
    cost = visit.page.get_by_text("one block of a worker's cache and a push").first
    box = cost.bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= 800, "the cost is on the screen"
    assert all(url.startswith("file:") for url in visit.requests)
    assert visit.complaints == []


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("parallel_for", "weft::parallel_for"),
        ("then", "weft::execution::then"),
        ("weft::ranges::sort", "weft::ranges::sort"),
        ("sort", "weft::sort"),
        ("task group", "weft::task_group"),
        ("cost of task group", "weft/tasks/task_group.hpp"),
    ],
)
def test_search_finds_names_first(site: Path, browser: Browser, typed: str, first: str) -> None:
    visit = Visit(browser, site / "index.html")

    assert search(visit, typed)[:1] == [first]


@pytest.mark.parametrize(
    ("typed", "page"),
    [
        ("ghost cell", "Glossary"),
        ("uninstall", "Install the library"),
        ("halo_exchange", "examples/halo_heat2d_fortran.f90"),
        ("WEFT_WORKERS", "Options and variables"),
    ],
)
def test_search_finds_words(site: Path, browser: Browser, typed: str, page: str) -> None:
    visit = Visit(browser, site / "index.html")

    assert page in search(visit, typed)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1280])
def test_pages_fit_the_screen_and_need_no_network(
    site: Path, browser: Browser, width: int, scheme: str
) -> None:
    for name in PAGES:
        visit = Visit(browser, site / f"{name}.html", width, scheme)

        wide = visit.page.evaluate("document.documentElement.scrollWidth")
        colour = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        red = int(colour.partition("(")[2].split(",")[0])

        assert wide <= width, f"{name} is wider than the screen"
        assert (red < DARKER_THAN) == (scheme == "dark"), name
        assert [url for url in visit.requests if not url.startswith(("file:", "data:"))] == []
        assert visit.complaints == [], name
        visit.context.close()


def test_paper_has_the_text_alone(site: Path, browser: Browser) -> None:
    visit = Visit(browser, site / "reference/api/tasks/task_group.html")
    navigation = ".sidebar-drawer, .toc-drawer, .theme-toggle-container"
    assert visit.page.evaluate(IS_ON_PAPER, navigation)

    visit.page.emulate_media(media="print")

    assert not visit.page.evaluate(IS_ON_PAPER, navigation)
    assert visit.page.evaluate(IS_ON_PAPER, "article h1")


def test_tutorials_are_reached_from_the_first_page(site: Path, browser: Browser) -> None:
    visit = Visit(browser, site / "index.html")

    visit.page.locator("article").get_by_role("link", name="Parallelise a tree").click()
    visit.page.wait_for_url("**/tutorials/tree.html")

    assert visit.page.locator("h1").inner_text().startswith("Parallelise a tree")
    assert visit.page.locator(".highlight-cpp").count() >= 3
    visit.page.locator("article").get_by_role("link", name="examples/tree.cpp").first.click()
    assert "int main" in visit.page.locator("article").inner_text()
