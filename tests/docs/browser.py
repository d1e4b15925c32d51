#!/usr/bin/env python3
"""The manual in headless Chromium, opened from disk, driven by Selenium.

    browser.py MANUAL_FOLDER [FOLDER_FOR_PICTURES]

The front page opens; a page of the reference shows a function; the search for "scatter" finds the function, and the lesson. Nothing is
asked of a network, and no script fails. At 420 and 1400 pixels no page is wider than the window. Light and dark, text stands out from
what is behind it. Exits with 77 where Chromium, its driver or Selenium is missing.
"""
import json
import shutil
import sys
from pathlib import Path

failures = []

# the contrast of each kind of text to what is behind it, by the formula of WCAG 2.1; 4.5 is what it asks of text
CONTRAST = """
const rgb = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1]; };
const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] > 0.5) return c; } return [255, 255, 255, 1]; };
const worst = {};
for (const e of document.querySelectorAll('header *, main *, nav *, aside *')) {
  if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.getClientRects().length) continue;
  if (getComputedStyle(e).visibility === 'hidden') continue;
  const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) worst[e.tagName + '.' + e.className] = ratio.toFixed(2) + ' ' + e.textContent.slice(0, 30);
}
return worst;
"""


def check(good, text):
    if not good:
        failures.append(text)


def open_browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(word)
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    driver.set_page_load_timeout(120)
    return driver


def show(driver, width, scheme):
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})


def wait(driver, script):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(driver, 120).until(lambda d: d.execute_script(script))


def check_quiet(driver, where):
    """No request but for files, no message of a script."""
    messages = [json.loads(line["message"])["message"] for line in driver.get_log("performance")]
    urls = [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]
    check(all(url.startswith(("file:", "data:")) for url in urls), f"{where}: asks for {[url for url in urls if not url.startswith('file:')]}")
    failed = [one["params"]["errorText"] for one in messages if one["method"] == "Network.loadingFailed"]
    check(not failed, f"{where}: files that are not there: {failed}")
    said = [line["message"] for line in driver.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
    check(not said, f"{where}: {said}")


def check_front(driver, manual):
    driver.get((manual / "index.html").as_uri())
    wait(driver, "return document.querySelector('main h1') !== null")
    check(driver.execute_script("return document.querySelector('main h1').firstChild.textContent") == "minx", "the front page has another heading")
    links = driver.execute_script("return document.querySelectorAll('nav.contents a').length")
    check(links > 25, f"the front page has {links} links in its contents")
    check_quiet(driver, "the front page")


def check_reference(driver, manual):
    driver.get((manual / "docs/manual/reference/scatter.html").as_uri() + "#c.mx_scatter_contribute")
    text = driver.execute_script("return document.getElementById('c.mx_scatter_contribute').closest('dl').textContent")
    check("join the contributions of all items" in text and "Used in" in text, "the entry of mx_scatter_contribute lacks its text")
    check_quiet(driver, "a page of the reference")


def check_search(driver, manual):
    """By the field that each page has, as a reader does."""
    driver.get((manual / "docs/data.html").as_uri())
    driver.find_element("css selector", "header input[type=search]").send_keys("scatter\n")
    wait(driver, "return /found (\\d+|one) page/i.test(document.getElementById('search-results').textContent)")
    found = driver.execute_script("return Array.from(document.querySelectorAll('#search-results li a')).map((a) => a.getAttribute('href'))")
    check(any("scatter.html#c.mx_scatter_create" in link for link in found), f"the search for scatter does not find mx_scatter_create: {found[:9]}")
    check(any("tutorial/08-races/README.html" in link for link in found), f"the search for scatter does not find the lesson: {found}")
    check_quiet(driver, "the search")


def check_widths(driver, manual, pictures):
    """Each page at both widths; some of them in light and dark."""
    looked_at = ("docs/manual/index", "docs/manual/reference/team", "docs/idioms", "docs/python", "README", "docs/manual/reference/context")
    for width, scheme in ((420, "light"), (1400, "dark"), (420, "dark"), (1400, "light")):
        show(driver, width, scheme)
        for page in sorted(manual.rglob("*.html")):
            name = page.relative_to(manual).with_suffix("").as_posix()
            if page.parent == manual and page.stem == "index" or (width, scheme) != (420, "light") and name not in looked_at:
                continue
            driver.get(page.as_uri())
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            check(wide <= width, f"{name} is {wide} pixels wide in a window of {width}")
            if name in looked_at:
                worst = driver.execute_script(CONTRAST)
                check(not worst, f"{name}, {scheme}: text of little contrast: {worst}")
                if pictures:
                    driver.save_screenshot(str(pictures / f"{name.replace('/', '-')}-{width}-{scheme}.png"))
        check_quiet(driver, f"pages at {width} pixels, {scheme}")


def main():
    if len(sys.argv) not in (2, 3):
        print(__doc__.strip())
        return 2
    if not (Path(sys.argv[1]) / "objects.inv").is_file():
        print("skipped: the manual was not built")
        return 77
    try:
        import selenium  # noqa: F401
    except ImportError:
        print("skipped: no Selenium")
        return 77
    if not shutil.which("chromedriver") or not (shutil.which("chromium") or shutil.which("chromium-browser")):
        print("skipped: no Chromium with its driver")
        return 77
    manual = Path(sys.argv[1]).resolve()
    driver = open_browser()
    try:
        show(driver, 1400, "light")
        check_front(driver, manual)
        check_reference(driver, manual)
        check_search(driver, manual)
        check_widths(driver, manual, Path(sys.argv[2]) if len(sys.argv) == 3 else None)
    finally:
        driver.quit()
    print("\n".join(failures) if failures else "the manual opens from disk, at both widths, light and dark")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
