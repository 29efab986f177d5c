"""A real Chromium for the tests of pages.

Without one they are skipped, unless IBMAP_REQUIRE_BROWSER=1 makes that a failure.
"""

import os
import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_chromium():
    """The program's path, or the end of the test."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None and os.environ.get("IBMAP_REQUIRE_BROWSER") == "1":
        pytest.fail(f"no browser: none of {', '.join(NAMES)} is on the PATH")
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the PATH")
    return path


@pytest.fixture(scope="module", name="browser")
def browser_fixture():
    path = find_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


class Opened:
    """A page opened from disk, with everything it complained of or asked for."""

    def __init__(self, browser, path, **options):
        self.trouble = []
        self.page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.page.on("console", lambda message: self.trouble.append(("console", message.text)))
        self.page.on("pageerror", lambda error: self.trouble.append(("error", str(error))))
        self.page.on("dialog", lambda dialog: self.trouble.append(("dialog", dialog.message)))
        self.page.on("request", self._asked)
        self.address = path.as_uri()
        self.page.goto(self.address)

    def _asked(self, request):
        if request.url != self.address:
            self.trouble.append(("request", request.url))

    def texts(self, selector):
        return [each.strip() for each in self.page.locator(selector).all_text_contents()]

    def rows(self, table):
        """The text of every cell of a table's body."""
        script = "t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))"
        return self.page.locator(table).evaluate(script)


@pytest.fixture(name="open_page")
def open_fixture(browser, tmp_path):
    opened = []

    def open_result(result, title="A network", **options):
        from ibmap.report import write_report

        path = tmp_path / f"page{len(opened)}.html"
        write_report(result, path, title=title)
        opened.append(Opened(browser, path, **options))
        return opened[-1]

    yield open_result
    for each in opened:
        each.page.close()
    assert [each.trouble for each in opened] == [[]] * len(opened)
