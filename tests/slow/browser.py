"""Drives a headless Chromium over the HTML report; run by `browser.sh`, which says what it needs.

The folder named as the argument gets screenshots to be looked at.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import msgspec
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent))
from formats.sample import BROKEN, REPORT

from auditor.fingerprint import identified
from auditor.formats import RenderOptions, renderer
from auditor.model import Interval, Range, Report

COUNT = 1000
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
SEVERITIES = ("error", "warning", "info")
CONTRAST = """() => {
  const luminance = (color) => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const back = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (!/, 0\\)$|transparent/.test(color)) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const worst = {};
  const selectors = [".severity", ".message", ".place", ".tag", ".summary", "dt", "figure pre", ".number", "mark",
    ".added", ".removed", ".hunk", ".strip b"];
  for (const selector of selectors) {
    for (const node of [...document.querySelectorAll(selector)].slice(0, 60)) {
      const [one, other] = [luminance(getComputedStyle(node).color), luminance(back(node))].sort((a, b) => b - a);
      worst[selector] = Math.min(worst[selector] ?? 99, (one + 0.05) / (other + 0.05));
    }
  }
  return worst;
}"""
UNNAMED = """() => [...document.querySelectorAll("input, select, button, summary, a, figure, table")]
  .filter((node) => !(node.textContent || node.labels?.length || node.ariaLabel))
  .map((node) => node.outerHTML)"""


def large() -> Report:
    """A report of many findings over many files, as a large project has it."""
    found = [
        msgspec.structs.replace(
            BROKEN,
            severity=SEVERITIES[number % 3],
            symbol=f"acme.params.Thing{number % 37}",
            span=msgspec.structs.replace(BROKEN.span, path=f"app/part{number % 50}/serve.py"),
            message=f"`Thing{number % 37}` no longer takes `argument_{number}`",
            argument=f"argument_{number}",
        )
        for number in range(COUNT)
    ]
    sources = {f"app/part{number}/serve.py": REPORT.sources["app/serve.py"] for number in range(50)}
    for number in range(0, COUNT, 2):
        intervals = (Interval("0.11.0", "0.13.0", "fine"), Interval("0.14.0", "0.15.0", "altered"))
        broken = Interval("0.16.0", None, "broken")
        found[number] = msgspec.structs.replace(found[number], intervals=(*intervals, broken))
    whole = Range(asked="acme>=0.11", releases=tuple(f"0.{minor}.0" for minor in range(11, 24)))
    providers = tuple(msgspec.structs.replace(provider, range=whole) for provider in REPORT.providers)
    known = identified(found)
    patches = [msgspec.structs.replace(REPORT.patches[0], findings=tuple(finding.id for finding in known[:20]))]
    return msgspec.structs.replace(REPORT, providers=providers, findings=known, patches=tuple(patches), sources=sources)


def shown(page: Page) -> int:
    return page.locator("details.finding:not([hidden])").count()


def took(page: Page, action: str) -> float:
    """Milliseconds until the page has been drawn after an action."""
    return page.evaluate(
        "(action) => new Promise((done) => { const start = performance.now(); eval(action);"
        " requestAnimationFrame(() => setTimeout(() => done(performance.now() - start))); })",
        action,
    )


def check(page: Page, url: str, pictures: Path) -> None:
    errors: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(url)
    loaded = page.evaluate("performance.getEntriesByType('navigation')[0].domComplete")
    assert shown(page) == COUNT
    page.screenshot(path=pictures / "light.png")

    # filtering
    page.get_by_label("Search").fill("argument_990 thing")
    assert shown(page) == 1, shown(page)
    assert page.locator("#shown").inner_text() == f"1 of {COUNT} shown"
    page.get_by_label("Search").fill("")
    page.get_by_label("warning").uncheck()
    assert shown(page) == len([n for n in range(COUNT) if n % 3 != 1])
    page.get_by_label("warning").check()
    for release, count in (("0.13.0", 0), ("0.15.0", COUNT // 2), ("0.23.0", COUNT // 2)):
        page.get_by_label("Met with").select_option(release)
        assert shown(page) == count, release
    page.get_by_label("Met with").select_option("")
    assert page.locator(".strip").first.get_attribute("aria-label").endswith("0.16.0- broken")
    page.get_by_label("Group by").select_option("symbol")
    assert page.locator("main section").count() == 37
    page.get_by_label("Group by").select_option("path")
    typed = [page.evaluate(_TYPE, text) for text in ("a", "ar", "argument_7", "thing1", "")]
    expanded = took(page, "document.getElementById('expand').click()")
    page.screenshot(path=pictures / "expanded.png")
    frames = page.evaluate(_SCROLL)
    page.evaluate("scrollTo(0, 0)")
    took(page, "document.getElementById('expand').click()")

    # the keyboard alone
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.reload()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY", "the skip link leads to the first finding"
    page.keyboard.press("Enter")
    assert page.locator("details.finding[open]").count() == 1
    page.screenshot(path=pictures / "keyboard.png")
    assert page.evaluate(UNNAMED) == []

    # light and dark, each readable
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    worst = {"light": page.evaluate(CONTRAST)}
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    worst["dark"] = page.evaluate(CONTRAST)
    page.locator("details.patch summary").first.click()
    page.screenshot(path=pictures / "dark.png")
    for scheme, ratios in worst.items():
        low = {selector: round(ratio, 2) for selector, ratio in ratios.items() if ratio < 4.5}
        assert not low, f"too little contrast ({scheme}): {low}"

    # narrow, and on paper
    page.set_viewport_size({"width": 390, "height": 800})
    page.screenshot(path=pictures / "narrow.png")
    wide = page.evaluate(_WIDER)
    assert wide <= 0, f"a narrow window scrolls sideways by {wide} pixels"
    page.emulate_media(media="print", color_scheme="light")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.finding[open]").count() == COUNT
    assert not page.locator(".controls").is_visible()
    page.pdf(path=pictures / "report.pdf", format="A4")

    assert errors == []
    assert asked == [url, url], asked
    print(  # noqa: T201 - a lane's closing lines
        f"{COUNT} findings: drawn after {loaded:.0f} ms, a keystroke {max(typed):.0f} ms, "
        f"expanding all {expanded:.0f} ms, scrolling {sorted(frames)[len(frames) // 2]:.0f} ms a frame, "
        f"at worst {max(frames):.0f} ms"
    )
    assert max(typed) < 500
    assert sorted(frames)[len(frames) // 2] < 100


_WIDER = """() => Math.max(...[document.documentElement, ...document.querySelectorAll("details.finding[open] > .body")]
  .map((node) => node.scrollWidth - node.clientWidth))"""
_TYPE = """(text) => new Promise((done) => {
  const search = document.getElementById("search");
  const start = performance.now();
  search.value = text;
  search.dispatchEvent(new Event("input"));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})"""
_SCROLL = """() => new Promise((done) => {
  const frames = [];
  let last = performance.now();
  const step = (now) => {
    frames.push(now - last);
    last = now;
    scrollBy(0, 400);
    if (frames.length < 60) requestAnimationFrame(step); else done(frames.slice(1));
  };
  requestAnimationFrame(step);
})"""


def main(pictures: Path) -> None:
    pictures.mkdir(parents=True, exist_ok=True)
    report = pictures / "report.html"
    report.write_text(renderer("html")(large(), RenderOptions(version="1.0")), encoding="utf-8")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        check(browser.new_page(viewport={"width": 1100, "height": 800}), report.as_uri(), pictures)
        browser.close()
    print("the HTML report holds in Chromium")  # noqa: T201 - a lane's closing lines


if __name__ == "__main__":
    main(Path(sys.argv[1]))
